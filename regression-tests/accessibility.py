"""Checks that a page can be used by keyboard, with a screen reader, and with weak eyes, by rules of WCAG 2.2 (AA).

    with Browser() as browser:
        browser.open("page.html")
        accessibility.check(browser, "the empty page")  # raises AssertionError with all faults that it finds
"""
# Roles whose elements people operate, so that they need names.
OPERATED = {"button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemradio", "progressbar", "radio",
            "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "dialog"}

# Functions that the rules below use: of elements that are shown, and of colors.
COMMON = """
const isShown = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest("[inert], .spoken")
    && (!document.querySelector("dialog[open]") || node.closest("dialog[open]"));
const shown = (selector) => [...document.querySelectorAll(selector)].filter(isShown);
const nameOf = (node) => `<${node.localName}${node.id ? ` id=${node.id}` : ""}${node.className ? ` class=${node.className}` : ""}>`
    + ` ${(node.textContent || node.ariaLabel || "").trim().slice(0, 30)}`;
const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
const pen = canvas.getContext("2d", { willReadFrequently: true });
const mixed = (colors) => { // the last ones are on top
    pen.clearRect(0, 0, 1, 1);
    for (const color of ["Canvas", ...colors]) { pen.fillStyle = color; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const behind = (node) => {
    const colors = [];
    for (let each = node; each; each = each.parentElement) colors.unshift(getComputedStyle(each).backgroundColor);
    return colors;
};
const luminance = (rgb) => rgb.map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (colors, color) => {
    const [dark, light] = [luminance(mixed(colors)), luminance(mixed([...colors, color]))].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
};
"""

RULES = {
    "text needs a contrast of 4.5, large text one of 3": """
        shown("body *").flatMap((node) => {
            const style = getComputedStyle(node), size = parseFloat(style.fontSize);
            const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
            const colors = [];
            if ([...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()) || node.value) colors.push(style.color);
            if (node.placeholder && !node.value) colors.push(getComputedStyle(node, "::placeholder").color);
            if (node.matches(":disabled, [aria-hidden=true]") || style.color === "rgba(0, 0, 0, 0)") return [];
            return colors.map((color) => contrast(behind(node), color)).filter((ratio) => ratio < least)
                .map((ratio) => `${nameOf(node)}: ${ratio.toFixed(2)}`);
        })""",
    "what is operated is at least 24 pixels high and wide, unless it is part of a text": """
        shown("button, select, summary, input:not([type=checkbox]), textarea").filter((node) => {
            const { width, height } = node.getBoundingClientRect();
            return Math.min(width, height) < 24;
        }).map(nameOf)""",
    "ids occur once": """
        [...document.querySelectorAll("[id]")].map(({ id }) => id).filter((id, i, ids) => ids.indexOf(id) !== i)""",
    "references name elements of the page": """
        ["for", "aria-labelledby", "aria-describedby", "aria-controls"].flatMap((name) =>
            [...document.querySelectorAll(`[${name}]`)].flatMap((node) => node.getAttribute(name).split(" ")))
            .filter((id) => !document.getElementById(id))""",
    "headings begin with one h1 and leave out no level": """
        [...document.querySelectorAll("h1, h2, h3, h4")].map((node) => Number(node.localName[1]))
            .filter((level, i, levels) => (i === 0 ? level !== 1 : level === 1 || level > levels[i - 1] + 1))""",
    "all text is in a landmark or a dialog": """
        [...document.body.children].filter((node) => isShown(node) && node.textContent.trim()
            && !node.matches("header, main, nav, aside, footer, dialog, [role=dialog], script")).map(nameOf)""",
    "the page has a language and a title": """
        [document.documentElement.lang, document.title].filter((text) => !text)""",
    "lists consist of items": """
        shown("ul, ol").filter((node) => !node.role && [...node.children].some((child) => child.localName !== "li" || child.role))
            .map(nameOf)""",
    "nothing moves": "document.getAnimations().map((each) => nameOf(each.effect.target))",
    "nothing is beside the window": """
        document.documentElement.scrollWidth > innerWidth ? [document.documentElement.scrollWidth] : []""",
}




def rule_faults(browser):
    for rule, script in RULES.items():
        for fault in browser.evaluate(f"(() => {{ {COMMON} return {script.strip()}; }})()"):
            yield f"{rule}: {fault}"


def name_faults(browser):
    """Elements that people operate, but for which a screen reader has no name."""
    for node in browser.call("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        if not node["ignored"] and role in OPERATED and not node.get("name", {}).get("value", "").strip():
            element = browser.call("DOM.describeNode", backendNodeId=node["backendDOMNodeId"])["node"]
            yield f"a {role} needs a name: <{element['localName']}> {element.get('attributes')}"


def focus_faults(browser):
    """Elements that Tab does not reach, or not in the order of the page, and where the focus cannot be seen."""
    for _ in range(3):
        faults = focus_faults_now(browser)
        if browser.evaluate("stops.every((node) => node.isConnected)"):
            break  # otherwise the page has replaced elements in the meantime
    return faults


def focus_faults_now(browser):
    browser.evaluate(f"""(() => {{ {COMMON}
        window.stops = shown("a[href], button, input, select, textarea, summary, [tabindex]")
            .filter((node) => node.tabIndex >= 0 && !node.disabled);
        window.nameOf = nameOf;
        document.activeElement.blur();
    }})()""")
    reached, faults = [], []
    for _ in range(browser.evaluate("stops.length") + 10):
        browser.press("Tab")
        stop = browser.evaluate("stops.indexOf(document.activeElement)")
        if stop in reached:
            break
        if stop < 0:
            continue  # the window of the browser, or an area that scrolls
        reached.append(stop)
        if not browser.evaluate("""(() => {
            for (let node = document.activeElement; node; node = node.parentElement) {
                const { outlineStyle, outlineWidth } = getComputedStyle(node);
                if (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) return true;
            }
            return false;
        })()"""):
            faults.append(f"the focus must be visible: {browser.evaluate('nameOf(document.activeElement)')}")
    names = browser.evaluate("stops.map(nameOf)")
    faults += [f"Tab must reach {names[stop]}" for stop in sorted(set(range(len(names))) - set(reached))]
    begin = reached.index(min(reached)) if reached else 0
    if reached[begin:] + reached[:begin] != sorted(reached):
        faults.append(f"Tab must follow the order of the page: {[names[stop] for stop in reached]}")
    return faults


def check(browser, state):
    """Raises AssertionError for all faults of the page. `state` says how the page is now."""
    faults = [*rule_faults(browser), *name_faults(browser), *focus_faults(browser)]
    assert not faults, "\n".join([f"{state}:", *faults])
