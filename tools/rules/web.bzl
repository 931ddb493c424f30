"""The client: bundled by a Go program, type-checked by the native TypeScript compiler.

    web_bundle(name = "client", srcs = glob(["**/*.ts", ...]), out = "client.zip")
    web_bundle(name = "tests", srcs = glob(["**/*.ts", ...]), out = "tests.zip", tests = True)
    web_typecheck_test(name = "typecheck_test", srcs = ...)

Neither runs Node.
"""

load("@rules_shell//shell:sh_test.bzl", "sh_test")

def _web_bundle_impl(ctx):
    args = ctx.actions.args()
    if ctx.attr.tests:
        args.add("--tests")
    args.add("--web", ctx.label.package)
    args.add("--node-modules", ctx.file.marker.dirname + "/node_modules")
    args.add("--out", ctx.outputs.out)
    ctx.actions.run(
        executable = ctx.executable._bundler,
        arguments = [args],
        inputs = depset([ctx.file.marker] + ctx.files.srcs, transitive = [ctx.attr.node_modules.files]),
        outputs = [ctx.outputs.out],
        mnemonic = "WebBundle",
        progress_message = "Bundling %{label}",
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

web_bundle = rule(
    doc = "Everything that the browser loads, in one archive.",
    implementation = _web_bundle_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = True, doc = "All of the client's files, in this package's folder."),
        "out": attr.output(mandatory = True),
        "tests": attr.bool(doc = "Bundle the sources' own tests (<name>.test.ts) instead of the page."),
        "node_modules": attr.label(default = "@npm//:node_modules"),
        "marker": attr.label(default = "@npm//:marker", allow_single_file = True),
        # cfg: the lane builds where it runs, and the target's configuration has Go's
        # standard library already; "exec" would compile it a second time.
        "_bundler": attr.label(default = "//tools/webbundle", executable = True, cfg = "target"),
    },
)

def web_typecheck_test(name, srcs, tsconfig = "tsconfig.json", **kwargs):
    """tsc --noEmit over this package.

    Args:
      name: the test's name.
      srcs: all files that the compiler reads, tsconfig.json included.
      tsconfig: the project file, relative to the package.
      **kwargs: as for any test.
    """
    sh_test(
        name = name,
        srcs = [Label("//tools/rules:typecheck.sh")],
        args = [
            "$(rlocationpath @npm//:tsc)",
            "$(rlocationpath @npm//:marker)",
            native.package_name(),
            tsconfig,
        ],
        data = srcs + ["@npm//:marker", "@npm//:tsc", "@npm//:tsc_files", "@npm//:types"],
        **kwargs
    )
