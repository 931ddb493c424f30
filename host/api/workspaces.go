package api

import (
	"context"
	"errors"
	"path/filepath"

	"keylane/host/tool/files"
	"keylane/host/workspace"
)

// WorkspaceView is a workspace with the sessions that work in it.
type WorkspaceView struct {
	WorkspaceID string `json:"workspaceId"`
	Path        string `json:"path"`
	Title       string `json:"title"`
	// SessionIDs are in the order in which they are shown.
	SessionIDs []string `json:"sessionIds"`
	// Order has the sessions with a fixed place, in that order, see package workspace; all others come before them, newest activity first.
	Order     []string `json:"order"`
	CreatedAt int64    `json:"createdAt"`
	UpdatedAt int64    `json:"updatedAt"`
	// Provisional: it is the default folder, and nobody has registered it. A page has no need to show it while it has no session.
	Provisional bool `json:"provisional,omitempty"`
}

// viewWorkspace makes a view; sessions are all there are, newest first.
func viewWorkspace(w workspace.Workspace, sessions []SessionSummary, arranged workspace.Arrangement) WorkspaceView {
	return WorkspaceView{
		WorkspaceID: w.ID, Path: w.Path, Title: w.Title, SessionIDs: arranged.Sort(w.ID, sessionsOf(w, sessions)),
		Order: append([]string{}, arranged.Orders[w.ID]...), CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
		Provisional: w.Provisional,
	}
}

// sessionsOf are the ids of the sessions that work in a workspace, in the order given.
func sessionsOf(w workspace.Workspace, sessions []SessionSummary) []string {
	var ids []string
	for _, s := range sessions {
		if inside(w, s) {
			ids = append(ids, s.SessionID)
		}
	}
	return ids
}

func inside(w workspace.Workspace, s SessionSummary) bool {
	return s.Cwd != "" && filepath.Clean(s.Cwd) == w.Path
}

type workspaceList struct {
	// Items are in the order in which they are shown.
	Items              []WorkspaceView `json:"items"`
	ArchivedSessionIDs []string        `json:"archivedSessionIds"`
	// Problem says why Items are not all there are; absent when they are.
	Problem *listProblem `json:"problem,omitempty"`
}

// listProblem is a file that a list is made from and that cannot be read. It is a person's to mend.
type listProblem struct {
	File  string `json:"file"`
	Cause string `json:"cause"`
}

func (a *API) listWorkspaces(ctx context.Context, _ string, _ nothing) (workspaceList, error) {
	list := workspaceList{Items: []WorkspaceView{}, ArchivedSessionIDs: []string{}}
	all, err := a.o.Workspaces.List()
	var broken *workspace.FileError
	switch {
	case errors.As(err, &broken):
		// Nothing that was kept elsewhere is gone: sessions are listed, and the default folder is there.
		all = []workspace.Workspace{a.o.Workspaces.Default()}
		list.Problem = &listProblem{broken.Path, broken.Err.Error()}
	case err != nil:
		return workspaceList{}, err
	}
	sessions, err := a.sessions(ctx)
	if err != nil {
		return workspaceList{}, err
	}
	arranged, err := a.o.Workspaces.Arrangement()
	if err != nil && list.Problem == nil {
		return workspaceList{}, err
	}
	list.ArchivedSessionIDs = append(list.ArchivedSessionIDs, arranged.Archived...)
	for _, w := range all {
		list.Items = append(list.Items, viewWorkspace(w, sessions, arranged))
	}
	return list, nil
}

type createWorkspacePayload struct {
	Path string `json:"path,omitempty"`
	Name string `json:"name,omitempty"`
}

func (p createWorkspacePayload) issues() []string {
	if (p.Path == "") == (p.Name == "") {
		came := "both"
		if p.Path == "" {
			came = "neither"
		}
		return []string{"payload: want path or name, got " + came}
	}
	return nil
}

type createdWorkspace struct {
	Workspace WorkspaceView `json:"workspace"`
	Created   bool          `json:"created"`
}

func (a *API) createWorkspace(ctx context.Context, _ string, p createWorkspacePayload) (createdWorkspace, error) {
	w, created, err := a.register(ctx, func() (workspace.Workspace, bool, error) {
		if p.Name != "" {
			w, err := a.o.Workspaces.Create(p.Name)
			return w, true, err
		}
		return a.o.Workspaces.Adopt(p.Path)
	})
	if err != nil {
		return createdWorkspace{}, workspaceError(err, map[string]any{"path": p.Path, "name": p.Name})
	}
	view, err := a.view(ctx, w)
	return createdWorkspace{view, created}, err
}

// register has a folder registered, and tells every page when it is new.
func (a *API) register(ctx context.Context, registration func() (workspace.Workspace, bool, error)) (workspace.Workspace, bool, error) {
	a.arranging.Lock()
	defer a.arranging.Unlock()
	w, created, err := registration()
	if err != nil || !created {
		return w, created, err
	}
	return w, created, a.announce(ctx, w)
}

// announce tells every page what a workspace is now; arranging is held.
func (a *API) announce(ctx context.Context, w workspace.Workspace) error {
	view, err := a.view(ctx, w)
	if err != nil {
		return err
	}
	a.feed.workspaceChanged(view)
	return nil
}

func (a *API) view(ctx context.Context, w workspace.Workspace) (WorkspaceView, error) {
	sessions, err := a.sessions(ctx)
	if err != nil {
		return WorkspaceView{}, err
	}
	arranged, err := a.o.Workspaces.Arrangement()
	if err != nil {
		return WorkspaceView{}, err
	}
	return viewWorkspace(w, sessions, arranged), nil
}

// maxFiles is how many files one answer of workspace.files has at most.
const maxFiles = 50

type filesPayload struct {
	// SessionID names the session in whose folder is searched; empty means that of WorkspaceID.
	SessionID string `json:"sessionId"`
	// WorkspaceID names the workspace that is searched where there is no session yet; without it that is the folder of new sessions.
	WorkspaceID string `json:"workspaceId,omitempty"`
	// Query is what a person has typed of a path; empty asks for the files nearest to the top.
	Query string `json:"query" wire:"max=1024"`
}

// FileItem is a file of a session's folder.
type FileItem struct {
	Path string `json:"path"` // relative to the folder, with slashes
}

type fileList struct {
	Items []FileItem `json:"items"` // best match first
	// Truncated tells that more files match, or that the folder was too large to be searched whole.
	Truncated bool `json:"truncated"`
}

// findFiles searches until it is done or the reader is gone. It never attaches a session.
func (a *API) findFiles(ctx context.Context, _ string, p filesPayload) (fileList, error) {
	folder, err := a.folderOf(ctx, p.SessionID, p.WorkspaceID)
	if err != nil {
		return fileList{}, err
	}
	paths, truncated, err := files.Find(ctx, folder, p.Query, maxFiles)
	if errors.Is(err, files.ErrFolder) {
		return fileList{}, fail(WorkspaceInvalidPath, err.Error(), map[string]any{"path": folder})
	}
	if err != nil {
		return fileList{}, err
	}
	list := fileList{Items: make([]FileItem, len(paths)), Truncated: truncated}
	for i, name := range paths {
		list.Items[i].Path = name
	}
	return list, nil
}

// folderOf returns the working directory of a session, or of new ones in a workspace when its id is empty.
func (a *API) folderOf(ctx context.Context, sessionID, workspaceID string) (string, error) {
	switch {
	case sessionID == "" && workspaceID != "":
		w, err := a.o.Workspaces.Get(workspaceID)
		if err != nil {
			return "", workspaceError(err, map[string]any{"workspaceId": workspaceID})
		}
		return w.Path, nil
	case sessionID == "":
		return a.o.Workspaces.Default().Path, nil
	}
	return a.cwdOf(ctx, sessionID)
}

// cwdOf is the folder a session runs in. Of one that is stored its header says it, so neither the length of the log nor damage in it matters.
func (a *API) cwdOf(ctx context.Context, sessionID string) (string, error) {
	if attached, ok := a.o.Agents.Get(sessionID); ok {
		return attached.Log().Header().Cwd, nil
	}
	page, err := a.o.Store.Page(ctx, sessionID, 0, 1)
	if err != nil {
		return "", sessionError(err, sessionID)
	}
	return page.Header.Cwd, nil
}

func workspaceError(err error, details map[string]any) error {
	for known, code := range map[error]Code{
		workspace.ErrNotFound: WorkspaceNotFound, workspace.ErrInvalidPath: WorkspaceInvalidPath, workspace.ErrNameConflict: WorkspaceNameConflict,
		workspace.ErrMoveInvalid: WorkspaceMoveInvalid, workspace.ErrTitleInvalid: TitleInvalid,
	} {
		if !errors.Is(err, known) {
			continue
		}
		if code == WorkspaceInvalidPath {
			details = withReason(err, details)
		}
		return fail(code, err.Error(), details)
	}
	return err
}
