// Package skill is the tool with which a model loads a skill: it gives a name and gets the text.
//
// Which skills there are the model knows from the context message of host/prompt/catalogue; the tool's schema names none, so that it stays
// the same, and with it the beginning of every request, when a skill is written. What a skill is and where it lies is host/skill's matter.
// Loading only looks: it needs nobody's leave, and the skill's own instructions run nothing that other tools would not ask about.
package skill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"keylane/host/llm"
	"keylane/host/skill"
	"keylane/host/tool"
)

// Error codes of results.
const (
	CodeUnknown    = "UNKNOWN_SKILL"
	CodeUnreadable = "SKILL_UNREADABLE"
	CodeAborted    = "TOOL_ABORTED"
)

// New makes the tool over a library.
func New(library *skill.Library) tool.Tool { return loader{library} }

type loader struct{ library *skill.Library }

type arguments struct {
	Name string `json:"name" schema:"required,min=1" about:"The skill's name, as it is listed"`
}

// Schema is what the model is shown.
func (loader) Schema() llm.ToolSchema {
	return llm.ToolSchema{
		Name: "skill",
		Description: "Loads a skill: instructions for a kind of work. Skills that you can load are listed in the conversation with what each is for. " +
			"Load the one that fits before you begin the work, and follow it.",
		Parameters: tool.Parameters[arguments](),
	}
}

// Parallel: loading changes nothing.
func (loader) Parallel() bool { return true }

// card is what the page shows of a call.
type card struct {
	Card        string `json:"card"` // "skill"
	Name        string `json:"name"`
	Description string `json:"description"`
	File        string `json:"file"` // absolute path
}

// Run loads the skill.
func (l loader) Run(ctx context.Context, c tool.Call) tool.Result {
	var args arguments
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return tool.Failed("InvalidArgumentsError", tool.CodeInvalidArguments, fmt.Sprintf("reading the arguments: %v", err))
	}
	loaded, body, err := l.library.Load(ctx, c.Cwd, args.Name)
	switch {
	case ctx.Err() != nil:
		return tool.Failed("AbortError", CodeAborted, "the call was aborted")
	case errors.Is(err, skill.ErrUnknown):
		return tool.Failed("SkillError", CodeUnknown, err.Error()+".")
	case err != nil:
		return tool.Failed("SkillError", CodeUnreadable, err.Error()+".")
	}
	var meta bytes.Buffer
	encoder := json.NewEncoder(&meta)
	encoder.SetEscapeHTML(false) // it goes into the log, which has text as it was written
	if err := encoder.Encode(card{"skill", loaded.Name, loaded.Description, loaded.File}); err != nil {
		return tool.Failed("InternalError", tool.CodeInternal, err.Error())
	}
	return tool.Result{Text: text(loaded, body), Meta: bytes.TrimSpace(meta.Bytes())}
}

func text(loaded skill.Skill, body string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Skill %s, from %s.", loaded.Name, loaded.File)
	if loaded.Folder != "" {
		fmt.Fprintf(&out, " Files it mentions lie in %s.", loaded.Folder)
	}
	if body == "" {
		body = "[the skill has no text beyond its description]"
	}
	return out.String() + "\n\n" + body
}
