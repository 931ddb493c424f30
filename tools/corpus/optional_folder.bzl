"""A folder beside the repository that some machines have and others don't.

    optional_folder(name = "corpus", path = "../shared/corpus")

gives `@corpus//:files`: every file of the folder under its own name below `files/`,
or nothing, and always `@corpus//:state`: a text file whose first line is `present` or
`absent` and whose second line is where was looked. A test that depends on the files
must say in its output what it does without them.
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

exports_files(["state"])

alias(name = "state_file", actual = "state")

filegroup(
    name = "files",
    srcs = ["state"] + glob(["files/**"], allow_empty = True),
)
"""

def _optional_folder_impl(rctx):
    # The path of a file in the workspace root leads to where the folder would be.
    root = rctx.path(rctx.attr.root).dirname
    folder = rctx.path("{}/{}".format(root, rctx.attr.path))

    # Noticed when it appears, disappears or its contents change.
    rctx.watch(folder)
    present = folder.exists
    if present:
        rctx.watch_tree(folder)
        rctx.symlink(folder, "files")
    rctx.file("state", "{}\n{}\n".format("present" if present else "absent", rctx.attr.path))
    rctx.file("BUILD.bazel", _BUILD)

optional_folder = repository_rule(
    doc = "Files of a folder that may not be there.",
    implementation = _optional_folder_impl,
    attrs = {
        "path": attr.string(mandatory = True, doc = "Relative to the workspace root."),
        "root": attr.label(default = "//:MODULE.bazel"),
    },
    local = True,
)
