import { useComputed, useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Button, closeDirectoryDialog, Dialog, IconButton, useClient, type DirectoryRequest } from "keylane";
import { asRpcError, Browser, nameOf, parentOf } from "./browser";
import { Crumbs, PathField } from "./crumbs";
import { FolderList } from "./folders";
import { t } from "./messages";
import { NewFolder } from "./newfolder";
import { ProblemText } from "./problem";

/** Looks through the machine's folders for one. What is opened is the folder that one is in. */
export function DirectoryDialog({ request }: { request: DirectoryRequest }) {
  const client = useClient();
  const list = useRef<HTMLDivElement>(null);
  const browser = useMemo(
    () =>
      new Browser({
        list: (path, signal) => client.rpc.call("host.listDirectory", path === "" ? {} : { path }, undefined, signal),
        create: async (parent, name) => (await client.rpc.call("host.createDirectory", { parent, name })).path,
      }),
    [],
  );
  const editing = useSignal(false);
  const naming = useSignal(false);
  const taking = useSignal(false);
  const problemId = useId();
  const listing = browser.listing.value;
  const problem = browser.problem.value;
  const some = useComputed(() => browser.listing.value?.entries.some((entry) => entry.hidden) === true);
  const toList = () => list.current?.focus();

  useLayoutEffect(() => {
    const { from } = request;
    void (from === undefined ? browser.go("") : browser.go(parentOf(from), from));
    toList();
    return () => browser.end();
  }, []);

  const take = async () => {
    const path = browser.listing.value?.path;
    if (path === undefined || taking.value) return;
    taking.value = true;
    browser.problem.value = undefined;
    try {
      await request.take(path);
      closeDirectoryDialog();
    } catch (error) {
      browser.problem.value = { what: "notTaken", name: path, error: asRpcError(error) };
    } finally {
      taking.value = false;
    }
  };

  return (
    <Dialog wide title={t("title")} close={closeDirectoryDialog} aside={<IconButton icon="x" label={t("close")} onClick={closeDirectoryDialog} />}>
      <div class="folders">
        <div class="folders-way">
          {editing.value ? (
            <PathField
              path={listing?.path ?? ""}
              problem={problem?.what === "notOpened" ? problemId : undefined}
              go={async (path) => {
                if (!(await browser.go(path))) return;
                editing.value = false;
                toList();
              }}
              leave={() => {
                editing.value = false;
                browser.problem.value = undefined;
                toList();
              }}
            />
          ) : (
            <>
              {listing && <IconButton icon="house" label={t("home")} title={listing.home} onClick={() => void browser.go("").then(toList)} />}
              <Crumbs crumbs={listing?.crumbs ?? []} go={(path, from) => void browser.go(path, from).then(toList)} />
              <IconButton icon="pencil" label={t("editPath")} title={t("editPath")} onClick={() => (editing.value = true)} />
            </>
          )}
        </div>
        <FolderList browser={browser} listRef={list} />
        {problem && <p id={problemId} class="folders-problem" role="alert"><ProblemText problem={problem} /></p>}
        {naming.value ? (
          <NewFolder
            parent={listing ? nameOf(listing) : ""}
            problem={problem?.what === "notCreated" ? problemId : undefined}
            forgive={() => (browser.problem.value = undefined)}
            create={async (name) => {
              if (!(await browser.create(name))) return;
              naming.value = false;
              toList();
            }}
            leave={() => {
              naming.value = false;
              browser.problem.value = undefined;
              toList();
            }}
          />
        ) : (
          <div class="folders-tools">
            <Button look="quiet" icon="folder-plus" disabled={!listing} onClick={() => (naming.value = true)}>{t("newFolder")}</Button>
            <label class="folders-hidden" data-some={some.value}>
              <input type="checkbox" checked={browser.showHidden.value} onChange={(event) => (browser.showHidden.value = event.currentTarget.checked)} />
              {t("showHidden")}
            </label>
          </div>
        )}
        <div class="folders-foot">
          <p class="folders-path" title={listing?.path}>{listing && <bdi>{listing.path}</bdi>}</p>
          <Button onClick={closeDirectoryDialog}>{t("cancel")}</Button>
          <Button look="primary" disabled={!listing || taking.value || naming.value} onClick={() => void take()}>{listing ? t("openNamed", { name: nameOf(listing) }) : t("open")}</Button>
        </div>
      </div>
    </Dialog>
  );
}
