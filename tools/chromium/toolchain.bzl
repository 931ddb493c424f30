"""Chromium as a toolchain.

`chromium_toolchain` describes one browser, `current_chromium` (the target
//tools/chromium:current) is the one that the platform resolves to: an executable with
its runfiles. Tests name it in `data` and find it by `$(rlocationpath ...)`.

`--//tools/chromium:path=/some/chromium` makes :current start that program instead, for
a look with another browser. It warns, and since it is part of the configuration
no result of it is ever taken for one of the pinned browser.
"""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")

ChromiumInfo = provider(
    doc = "A browser that speaks the DevTools protocol.",
    fields = {
        "binary": "File: the program to start",
        "files": "depset of File: everything it needs at run time, itself included",
        "version": "string: version of the package it came from",
        "integrity": "string: the hash that pins it, sha512-...",
    },
)

def _chromium_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(chromium = ChromiumInfo(
        binary = ctx.file.binary,
        files = depset([ctx.file.binary] + ctx.files.files),
        version = ctx.attr.version,
        integrity = ctx.attr.integrity,
    ))]

chromium_toolchain = rule(
    doc = "What a chromium repository holds, for a `toolchain` target to point at.",
    implementation = _chromium_toolchain_impl,
    attrs = {
        "binary": attr.label(allow_single_file = True, mandatory = True),
        "files": attr.label_list(allow_files = True),
        "version": attr.string(mandatory = True),
        "integrity": attr.string(mandatory = True),
    },
)

_PINNED = """#!/bin/sh
# Chromium {version}, {integrity}
# It is beside this file somewhere up the runfiles tree, or in this program's own.
up=$(cd "$(dirname "$0")" && pwd)
while [ "$up" != / ]; do
  [ ! -x "$up/{path}" ] || exec "$up/{path}" "$@"
  up=$(dirname "$up")
done
[ ! -x "$0.runfiles/{path}" ] || exec "$0.runfiles/{path}" "$@"
echo "chromium: {path} is not in the runfiles of $0" >&2
exit 127
"""

_OTHER = """#!/bin/sh
echo "chromium: WARNING: not the pinned browser but {path} (--//tools/chromium:path)" >&2
exec '{path}' "$@"
"""

def _current_chromium_impl(ctx):
    info = ctx.toolchains["//tools/chromium:toolchain_type"].chromium
    launcher = ctx.actions.declare_file(ctx.label.name)
    other = ctx.attr._path[BuildSettingInfo].value
    if other:
        if not other.startswith("/") or "'" in other:
            fail("--//tools/chromium:path must be an absolute path without quotes, not {}".format(other))

        # buildifier: disable=print
        print("WARNING: --//tools/chromium:path: tests run {}, not the pinned Chromium {}".format(other, info.version))
        ctx.actions.write(launcher, _OTHER.format(path = other), is_executable = True)
        return [DefaultInfo(executable = launcher, files = depset([launcher]), runfiles = ctx.runfiles([launcher]))]
    path = info.binary.short_path
    path = path[len("../"):] if path.startswith("../") else "_main/" + path
    ctx.actions.write(launcher, _PINNED.format(path = path, version = info.version, integrity = info.integrity), is_executable = True)
    return [
        DefaultInfo(
            executable = launcher,
            files = depset([launcher]),
            runfiles = ctx.runfiles([launcher], transitive_files = info.files),
        ),
        info,
    ]

current_chromium = rule(
    doc = "The Chromium of the target platform, as an executable.",
    implementation = _current_chromium_impl,
    executable = True,
    attrs = {"_path": attr.label(default = "//tools/chromium:path")},
    toolchains = ["//tools/chromium:toolchain_type"],
)
