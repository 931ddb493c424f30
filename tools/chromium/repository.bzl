"""A pinned headless Chromium with everything it needs, from npm packages.

npm only fetches the tarballs: their sha512 are checked here against the pinned ones,
and node's zlib unpacks the brotli files. All of it happens while fetching, so that an
action sees plain files. What comes along: nss, nspr, expat, SwiftShader, Open Sans; and
Noto Sans SC from a second package, because the browser has no font for Chinese text.
It needs only glibc from the machine.
"""

# Unpacks TARBALL into the current folder after comparing its hash with the pinned one.
_UNPACK = """
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync, readdirSync, existsSync, rmSync } from "node:fs";
import { createBrotliDecompress } from "node:zlib";
import { pipeline } from "node:stream/promises";
import { spawnSync } from "node:child_process";

const [tarball, pinned, ...members] = process.argv.slice(2);
const got = "sha512-" + createHash("sha512").update(readFileSync(tarball)).digest("base64");
if (got !== pinned) {
  console.error(`${tarball}: wrong hash\\n  pinned: ${pinned}\\n  got:    ${got}`);
  process.exit(3);
}
const tar = (...args) => {
  const done = spawnSync("tar", args, { stdio: "inherit" });
  if (done.status !== 0) process.exit(4);
};
tar("-xzf", tarball, "--no-same-owner", ...members);
if (existsSync("package/bin")) {
  for (const file of readdirSync("package/bin").filter((name) => name.endsWith(".br"))) {
    const out = "package/bin/" + file.slice(0, -".br".length);
    await pipeline(createReadStream("package/bin/" + file), createBrotliDecompress(), createWriteStream(out));
    if (out.endsWith(".tar")) {
      tar("-xf", out, "-C", "chromium", "--no-same-owner");
      rmSync(out);
    }
  }
}
"""

# Its own libraries and fonts. The path stays inside the runfiles tree: no readlink.
_LAUNCHER = """#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="$here/lib" FONTCONFIG_FILE="$here/fonts.conf"
export XDG_CACHE_HOME="${TEST_TMPDIR:-${TMPDIR:-/tmp}}/xdg-cache"
exec "$here/chromium" "$@"
"""

_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family><family>Noto Sans SC</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>Open Sans</family><family>Noto Sans SC</family></prefer></alias>
  <alias><family>serif</family><prefer><family>Open Sans</family><family>Noto Sans SC</family></prefer></alias>
</fontconfig>
"""

_BUILD = """
# Written by tools/chromium/repository.bzl
load("{toolchain_bzl}", "chromium_toolchain")

package(default_visibility = ["//visibility:public"])

exports_files(["chromium/headless_shell"])

filegroup(
    name = "files",
    srcs = glob(["chromium/**"]),
)

chromium_toolchain(
    name = "browser",
    binary = "chromium/headless_shell",
    files = [":files"],
    integrity = "{integrity}",
    version = "{version}",
)
"""

def _pack(rctx, npm, node, package, version, integrity, members):
    """Downloads a package, checks its hash and unpacks it into package/."""
    spec = "{}@{}".format(package, version)
    rctx.report_progress("npm pack {}".format(spec))
    res = rctx.execute([npm, "pack", "--json", "--ignore-scripts", spec], timeout = 900)
    if res.return_code != 0:
        fail("chromium: npm pack {}: {}{}".format(spec, res.stdout, res.stderr))
    tarball = json.decode(res.stdout)[0]["filename"]
    rctx.report_progress("unpacking {}".format(spec))
    res = rctx.execute([node, "unpack.mjs", tarball, integrity] + members, timeout = 900)
    if res.return_code != 0:
        fail("chromium: {}: {}{}".format(spec, res.stdout, res.stderr))
    rctx.delete(tarball)

def _npm_chromium_impl(rctx):
    npm, node = rctx.which("npm"), rctx.which("node")
    missing = [name for name, path in [("npm", npm), ("node", node)] if not path]
    if missing:
        fail("chromium: not on the PATH: {}; needed to fetch {}".format(" and ".join(missing), rctx.attr.package))
    rctx.file("unpack.mjs", _UNPACK)
    rctx.file("chromium/.keep")
    _pack(rctx, npm, node, rctx.attr.package, rctx.attr.version, rctx.attr.integrity, [])
    res = rctx.execute(["sh", "-ec", "mv package/bin/chromium chromium/chromium; chmod a+x chromium/chromium; rm -rf package; mkdir -p chromium/fonts"])
    if res.return_code != 0:
        fail("chromium: {}".format(res.stderr))
    if rctx.attr.font_package:
        members = ["package/" + f for f in rctx.attr.font_files]
        _pack(rctx, npm, node, rctx.attr.font_package, rctx.attr.font_version, rctx.attr.font_integrity, members)
        res = rctx.execute(["sh", "-ec", 'for f in "$@"; do mv "$f" chromium/fonts/; done; rm -rf package', "sh"] + members)
        if res.return_code != 0:
            fail("chromium: fonts: {}".format(res.stderr))
    rctx.delete("unpack.mjs")
    rctx.delete("chromium/.keep")

    # after unpacking: the package has a fonts.conf of its own, for another machine
    rctx.file("chromium/fonts.conf", _FONTS)
    rctx.file("chromium/headless_shell", _LAUNCHER, executable = True)
    rctx.file("BUILD.bazel", _BUILD.format(
        toolchain_bzl = str(Label("//tools/chromium:toolchain.bzl")),
        integrity = rctx.attr.integrity,
        version = rctx.attr.version,
    ))

npm_chromium = repository_rule(
    doc = "chromium/headless_shell and all files it needs.",
    implementation = _npm_chromium_impl,
    attrs = {
        "package": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
        "integrity": attr.string(mandatory = True, doc = "sha512-... as in a package-lock.json."),
        "font_package": attr.string(doc = "A package of font files that join the browser's own; empty for none."),
        "font_version": attr.string(),
        "font_integrity": attr.string(),
        "font_files": attr.string_list(doc = "Paths inside that package."),
    },
)
