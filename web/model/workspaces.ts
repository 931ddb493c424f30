// What a person can do to the folders they work in. The lists follow by the
// host's frames, here and in every other tab. Every call rejects with an
// RpcError.

import type { Rpc } from "../wire/rpc";
import type { Workspace } from "../wire/types";

export class Workspaces {
  constructor(readonly rpc: Rpc) {}

  /** Makes a folder of that name where the host keeps such folders. "workspace-name-conflict" when the name is taken. */
  async create(name: string): Promise<Workspace> {
    return (await this.rpc.call("workspace.create", { name })).workspace;
  }

  /** Resolves to the title as the host keeps it. "workspace-name-conflict" when another one has it, "title-invalid" for a text that is none. */
  async rename(workspaceId: string, title: string): Promise<string> {
    return (await this.rpc.call("workspace.rename", { workspaceId, title })).title;
  }

  /** Removes the registration alone: folder, sessions and logs stay. */
  async remove(workspaceId: string): Promise<void> {
    await this.rpc.call("workspace.delete", { workspaceId });
  }

  /** Puts a workspace in front of another one, or at the end. */
  async move(workspaceId: string, beforeId?: string): Promise<void> {
    await this.rpc.call("workspace.move", { workspaceId, ...(beforeId === undefined ? {} : { beforeId }) });
  }

  /** Has its sessions shown by activity again, after some were moved by hand. */
  async unarrange(workspaceId: string): Promise<void> {
    await this.rpc.call("workspace.unarrange", { workspaceId });
  }
}

/** Whether a title that a person gives is another workspace's: the host's rule, letters of either case and any space between words alike. */
export function titleTaken(title: string, workspaces: readonly Workspace[], exceptId?: string): boolean {
  const folded = (text: string) => text.trim().replace(/\s+/g, " ").toLowerCase();
  return folded(title) !== "" && workspaces.some((other) => other.workspaceId !== exceptId && folded(other.title) === folded(title));
}
