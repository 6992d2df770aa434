#!/usr/bin/env python3
"""Says what an installed folder contains, as SPDX 2.3 in JSON: nmt, and each library from a package of Debian with its version
and license.

usage: contents.py FOLDER VERSION COMMIT SECONDS
  SECONDS  the date of the document, in seconds since 1970
"""

import datetime
import hashlib
import json
import pathlib
import platform
import subprocess
import sys

# Libraries of which only headers are used, so that they are in the program itself.
HEADERS = ["libboost-dev", "nlohmann-json3-dev"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def identifier(kind, name):
    """SPDX allows letters, digits, points and hyphens."""
    return f"SPDXRef-{kind}-" + "".join(c if c.isalnum() or c in ".-" else "-" for c in name)


def file_identifier(path, folder):
    return identifier("File", str(path.relative_to(folder)))


def related(subject, relation, other):
    return {"spdxElementId": subject, "relationshipType": relation, "relatedSpdxElement": other}


def package_of(library):
    """The package that has a library of this name, such as libz.so.1, for this machine."""
    paths = run("dpkg", "--search", f"*/{platform.machine()}-linux-gnu/{library}").splitlines()
    return paths[0].split(":")[0]


def described(package):
    """The SPDX entry of a Debian package, and that of the text of its license."""
    version, source, source_version, homepage = run(
        "dpkg-query", "--show", "--showformat=${Version}\t${source:Package}\t${source:Version}\t${Homepage}\n",
        package).splitlines()[0].split("\t")
    license_id = "LicenseRef-" + identifier("", source).removeprefix("SPDXRef--")
    text = pathlib.Path("/usr/share/doc", package, "copyright").read_text(encoding="utf-8")
    entry = {
        "SPDXID": identifier("Package", package),
        "name": package,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "homepage": homepage or "NOASSERTION",
        "sourceInfo": f"Debian source package {source} {source_version}",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": license_id,
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{package}@{version}",
        }],
    }
    return entry, {"licenseId": license_id, "name": f"copyright of Debian's {source}", "extractedText": text}


def main(folder, version, commit, seconds):
    folder = pathlib.Path(folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    libraries = {path.name: path for path in files if ".so" in path.name and not path.name.startswith("libnmt")}
    packages, licenses, relations = {}, {}, []
    sources = [(package_of(name), "CONTAINS", path) for name, path in libraries.items()]
    sources += [(package, "STATIC_LINK", None) for package in HEADERS]
    for package, relation, path in sources:
        if package not in packages:
            packages[package], text = described(package)
            licenses[text["licenseId"]] = text
            relations.append(related("SPDXRef-Package-nmt", relation, packages[package]["SPDXID"]))
        if path:
            relations.append(related(file_identifier(path, folder), "GENERATED_FROM", packages[package]["SPDXID"]))
    nmt = {
        "SPDXID": "SPDXRef-Package-nmt",
        "name": "nmt",
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "sourceInfo": f"git commit {commit}",
        "filesAnalyzed": False,
        "licenseConcluded": "MIT",
        "licenseDeclared": "MIT",
        "copyrightText": "NOASSERTION",
    }
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": folder.name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{folder.name}-{commit}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: nmt-packaging"],
        },
        "packages": [nmt] + [packages[name] for name in sorted(packages)],
        "files": [{
            "SPDXID": file_identifier(path, folder),
            "fileName": f"./{path.relative_to(folder)}",
            "checksums": [
                {"algorithm": "SHA1", "checksumValue": hashlib.sha1(path.read_bytes()).hexdigest()},
                {"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()},
            ],
            "licenseConcluded": "NOASSERTION",
            "copyrightText": "NOASSERTION",
        } for path in files],
        "hasExtractedLicensingInfos": [licenses[name] for name in sorted(licenses)],
        "relationships": [related("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package-nmt")] + relations,
    }
    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: contents.py FOLDER VERSION COMMIT SECONDS")
    main(*sys.argv[1:])
