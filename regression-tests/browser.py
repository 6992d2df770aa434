"""Drives headless Chromium through its DevTools protocol, with Python's standard library alone.

    with Browser() as browser:
        browser.open("page.html")
        browser.click("#reset")
        assert browser.evaluate("document.title") == "..."
        browser.expect_no_complaints()
"""
import base64
import json
import os
import pathlib
import subprocess
import tempfile
import time

ALT, CTRL, SHIFT = 1, 2, 8


class Browser:
    def __init__(self, width=1280, height=900):
        self.width, self.height = width, height
        self.requests = []  # URLs that pages asked for, themselves included
        self.complaints = []  # errors and warnings in the console, exceptions
        self.questions = []  # of confirm(); all are answered with yes

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()

        def hand_over():  # the browser reads descriptor 3 and writes 4
            read, written = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(written, 4)

        self.process = subprocess.Popen(
            [os.environ["NMT_BROWSER"], "--headless=new", "--remote-debugging-pipe", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars",
             "--force-color-profile=srgb", f"--user-data-dir={self.profile.name}",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
             *(["--no-sandbox"] if os.geteuid() == 0 else []), "about:blank"],
            close_fds=False, preexec_fn=hand_over, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.unread, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(self.width, self.height)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()

    # The protocol: JSON messages that end with a zero byte.

    def receive(self):
        while b"\0" not in self.unread:
            piece = os.read(self.answers, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.unread += piece
        message, self.unread = self.unread.split(b"\0", 1)
        message = json.loads(message)
        if "method" in message:
            self.note(message["method"], message["params"])
        return message

    def note(self, method, params):
        self.events.append(method)
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(params["args"]))
        elif method == "Page.javascriptDialogOpening":
            self.questions.append(params["message"])
            self.send("Page.handleJavaScriptDialog", accept=True)
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        return self.number

    def call(self, method, **params):
        number = self.send(method, **params)
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    # What a reader does.

    def open(self, address):
        """A file, or an address with http."""
        self.events.clear()
        url = address if "://" in address else pathlib.Path(address).resolve().as_uri()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            self.receive()

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def download_to(self, folder):
        """Where files go that a page lets its reader save."""
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(pathlib.Path(folder).resolve()))

    def theme(self, name):
        """light or dark"""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def evaluate(self, script):
        """The value of a JavaScript expression in the page; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, script, seconds=20):
        """Until an expression is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(script):
            if time.monotonic() > end:
                raise AssertionError(f"never so: {script}")
            time.sleep(0.05)

    def box(self, selector):
        """left, top, width, height of the first element, scrolled into view"""
        return self.evaluate(f"""(() => {{
            const node = document.querySelector({json.dumps(selector)});
            node.scrollIntoView({{ block: "center" }});
            const {{ left, top, width, height }} = node.getBoundingClientRect();
            return [left, top, width, height];
        }})()""")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector, count=1):
        left, top, width, height = self.box(selector)
        for n in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.mouse(kind, left + width / 2, top + height / 2, button="left", clickCount=n)

    def hover(self, selector, across=0.5, down=0.5):
        left, top, width, height = self.box(selector)
        self.mouse("mouseMoved", left + across * width, top + down * height)

    def drag(self, selector, begin, end):
        """Across an element, from one part of its width to another."""
        left, top, width, height = self.box(selector)
        y = top + height / 2
        self.mouse("mouseMoved", left + begin * width, y)
        self.mouse("mousePressed", left + begin * width, y, button="left", clickCount=1)
        self.mouse("mouseMoved", left + end * width, y, button="left", buttons=1)
        self.mouse("mouseReleased", left + end * width, y, button="left", clickCount=1)

    def wheel(self, selector, down):
        left, top, width, height = self.box(selector)
        self.mouse("mouseWheel", left + width / 2, top + height / 2, deltaX=0, deltaY=down)

    def drop(self, selector, *files):
        """Drops files on an element."""
        left, top, width, height = self.box(selector)
        data = {"items": [], "files": [str(pathlib.Path(file).resolve()) for file in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=left + width / 2, y=top + height / 2, data=data)

    def choose(self, selector, *files):
        """Chooses files in an input for them."""
        node = self.call("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")["result"]
        self.call("DOM.setFileInputFiles", objectId=node["objectId"], files=[str(pathlib.Path(file).resolve()) for file in files])

    def press(self, key, modifiers=0):
        """A key by its name in KeyboardEvent.key, where the focus is."""
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        code = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers, **code, **text)

    def screenshot(self, path):
        image = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(image))

    # What must hold of every page.

    def expect_no_complaints(self):
        assert not self.complaints, self.complaints

    def expect_requests_only_to(self, *addresses):
        others = [url for url in self.requests if not url.startswith(("data:", "about:", "blob:", *addresses))]
        assert not others, others

    def expect_that_nothing_can_leave(self):
        """The last check of a page, for it complains of what is tried here."""
        asked = len(self.requests)
        reached = self.evaluate("""(async () => {
            const reached = [];
            const tried = "http://127.0.0.1:9/x";
            await fetch(tried, { mode: "no-cors" }).then(() => reached.push("fetch"), () => {});
            const image = new Image();
            image.src = tried + ".png";
            document.body.append(image);
            const script = document.createElement("script");
            script.textContent = "window.injected = true";
            document.body.append(script);
            document.body.insertAdjacentHTML("beforeend",
                `<img src="nothing:" onerror="window.injected = true"><iframe src="${tried}"></iframe>`);
            await new Promise((resolve) => setTimeout(resolve, 300));
            if (window.injected) reached.push("script");
            return reached;
        })()""")
        assert reached == [], reached
        sent = [url for url in self.requests[asked:] if url.startswith("http") and not self.was_blocked(url)]
        assert not sent, sent

    def was_blocked(self, url):
        return any("Content Security Policy" in text and url in text for text in self.complaints)
