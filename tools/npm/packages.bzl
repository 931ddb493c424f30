"""The client's npm packages, exactly as a committed lockfile pins them.

    npm_packages(name = "npm", package = "//web:package.json", lock = "//web:package-lock.json")

gives `@npm//:node_modules` (all files), `@npm//:marker` (a file whose folder holds
node_modules) and `@npm//:tsc` (the native TypeScript compiler, where the lockfile
has it). Nothing of the packages is ever run while fetching.

The lockfile names no host (npm asks the registry that the machine is set up for), so
every entry must have an integrity hash: without one npm would check nothing.
Write it with `npm install --package-lock-only --omit-lockfile-registry-resolved`.
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

exports_files(["marker"])

alias(
    name = "root",
    actual = "marker",
)

filegroup(
    name = "node_modules",
    srcs = glob(
        ["node_modules/**"],
        allow_empty = True,
        # never read by a bundler or a compiler
        exclude = [
            "node_modules/.bin/**",
            "node_modules/**/*.map",
            "node_modules/**/*.md",
            "node_modules/**/* *",
        ],
    ),
)

filegroup(
    name = "types",
    srcs = glob(
        ["node_modules/**/*.d.ts", "node_modules/**/*.d.mts", "node_modules/**/*.d.cts", "node_modules/**/package.json"],
        allow_empty = True,
    ),
)
"""

_TSC = """
filegroup(
    name = "tsc_files",
    srcs = glob(["{folder}/**"]),
)

alias(
    name = "tsc",
    actual = "{folder}/tsc",
)
"""

def _check_lock(lock):
    """Every package that is to be installed must have a hash."""
    if lock.get("lockfileVersion", 0) < 2:
        fail("npm: the lockfile's version is older than 2: write it again with a newer npm")
    bad = [
        path
        for path, entry in lock["packages"].items()
        if path and not entry.get("link") and not entry.get("integrity")
    ]
    if bad:
        fail("npm: no integrity hash in the lockfile for: {}".format(", ".join(bad)))
    named = [path for path, entry in lock["packages"].items() if path and entry.get("resolved")]
    if named:
        fail("npm: the lockfile names hosts (resolved) for: {}; write it with --omit-lockfile-registry-resolved".format(", ".join(named)))

def _npm_packages_impl(rctx):
    npm = rctx.which("npm") or fail("npm: there is no `npm` on the PATH; it is needed to download the packages of the lockfile")
    _check_lock(json.decode(rctx.read(rctx.attr.lock)))
    rctx.file("package.json", rctx.read(rctx.attr.package))
    rctx.file("package-lock.json", rctx.read(rctx.attr.lock))
    rctx.report_progress("npm ci")
    res = rctx.execute(
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--os=linux", "--cpu=x64"],
        timeout = 900,
        environment = {"NODE_ENV": "", "npm_config_update_notifier": "false"},
    )
    if res.return_code != 0:
        fail("npm: npm ci: {}{}".format(res.stdout, res.stderr))

    # BUILD files of packages would split the tree into Bazel packages.
    rctx.execute(["find", "node_modules", "-type", "f", "(", "-name", "BUILD", "-o", "-name", "BUILD.bazel", ")", "-delete"])
    rctx.file("marker", "node_modules is beside this file\n")
    build = _BUILD
    if rctx.attr.exports:
        build += "\nexports_files({})\n".format(rctx.attr.exports)
    folder = "node_modules/@typescript/typescript-linux-x64/lib"
    if rctx.path(folder + "/tsc").exists:
        build += _TSC.format(folder = folder)
    rctx.file("BUILD.bazel", build)

npm_packages = repository_rule(
    doc = "node_modules from package.json and package-lock.json.",
    implementation = _npm_packages_impl,
    attrs = {
        "package": attr.label(mandatory = True, allow_single_file = True, doc = "package.json"),
        "lock": attr.label(mandatory = True, allow_single_file = True, doc = "package-lock.json"),
        "exports": attr.string_list(doc = "Files that targets elsewhere name one by one."),
    },
)
