package api

import (
	"context"
	"errors"

	"keylane/host/approval"
	"keylane/host/settings"
)

// themeSetting is how the page looks: as the system says, or always the same.
type themeSetting string

// localeSetting is the language of the page; "" is as the browser says.
type localeSetting string

// busyEnterSetting is what Enter does with a message while a turn runs.
type busyEnterSetting string

// groupBySetting is whether sessions are grouped by their folders.
type groupBySetting string

// permissionSetting is what new sessions may do; "" is as the host's composition says.
type permissionSetting string

// settingsValues has every setting, by its key in the file; see package settings.
type settingsValues struct {
	Theme      themeSetting      `json:"ui-theme.preference"`
	Locale     localeSetting     `json:"locale.preference"`
	BusyEnter  busyEnterSetting  `json:"ui-conversation.busyEnter"`
	GroupBy    groupBySetting    `json:"ui-sidebar.groupBy"`
	Permission permissionSetting `json:"permission.defaultPreset"`
}

// settingsChanges has the settings to change.
type settingsChanges struct {
	Theme      *themeSetting      `json:"ui-theme.preference,omitempty"`
	Locale     *localeSetting     `json:"locale.preference,omitempty"`
	BusyEnter  *busyEnterSetting  `json:"ui-conversation.busyEnter,omitempty"`
	GroupBy    *groupBySetting    `json:"ui-sidebar.groupBy,omitempty"`
	Permission *permissionSetting `json:"permission.defaultPreset,omitempty"`
}

// settingsDescription is what the file of settings says.
type settingsDescription struct {
	// Revision names the file's content; "" is no file.
	Revision string         `json:"revision"`
	Values   settingsValues `json:"values"`
	// File is where people find it.
	File string `json:"file"`
	// HostMode is what new sessions may do while permission.defaultPreset is "".
	HostMode approval.Mode `json:"hostMode"`
	// Problem is the first thing in the file that does not count; absent when all of it does.
	Problem *settingsProblem `json:"problem,omitempty"`
}

// settingsProblem is a place of the file that a person has to mend.
type settingsProblem struct {
	// Line counts from 1; 0 when no line is at fault.
	Line  int    `json:"line"`
	Cause string `json:"cause"`
}

// settingsFrame tells that the file has changed, whoever did it; settings.describe says how.
type settingsFrame struct {
	Revision string `json:"revision"`
}

// settingsChanged is called by the store, in order.
func (f *feed) settingsChanged(s settings.Snapshot) {
	f.host.update(func(emit emitter) { emit("host/settings-changed", settingsFrame{s.Revision}) })
}

func (a *API) describeSettings(context.Context, string, nothing) (settingsDescription, error) {
	return a.settingsAs(a.o.Settings.Read()), nil
}

type updateSettingsPayload struct {
	// ExpectedRevision is the revision that the changes were chosen for; without one they are made whatever is there.
	ExpectedRevision *string         `json:"expectedRevision,omitempty"`
	Changes          settingsChanges `json:"changes"`
}

func (a *API) updateSettings(_ context.Context, _ string, p updateSettingsPayload) (settingsDescription, error) {
	changes := settings.Values{}
	asked(changes, settings.Theme, p.Changes.Theme)
	asked(changes, settings.Locale, p.Changes.Locale)
	asked(changes, settings.BusyEnter, p.Changes.BusyEnter)
	asked(changes, settings.GroupBy, p.Changes.GroupBy)
	asked(changes, settings.Permission, p.Changes.Permission)
	updated, err := a.o.Settings.Update(p.ExpectedRevision, changes)
	var broken *settings.FileError
	switch {
	case errors.Is(err, settings.ErrConflict):
		return settingsDescription{}, fail(SettingsConflict, err.Error(), map[string]any{"revision": a.o.Settings.Read().Revision})
	case errors.As(err, &broken):
		return settingsDescription{}, fail(SettingsRejected, broken.Error(), map[string]any{"file": broken.File, "line": broken.Line, "cause": broken.Cause})
	case err != nil:
		return settingsDescription{}, err
	}
	return a.settingsAs(updated), nil
}

func asked[T ~string](changes settings.Values, key settings.Key, value *T) {
	if value != nil {
		changes[key] = string(*value)
	}
}

func (a *API) settingsAs(s settings.Snapshot) settingsDescription {
	d := settingsDescription{
		Revision: s.Revision, File: a.o.Settings.File(), HostMode: a.o.Approvals.Standard(),
		Values: settingsValues{
			Theme: themeSetting(s.Values[settings.Theme]), Locale: localeSetting(s.Values[settings.Locale]),
			BusyEnter: busyEnterSetting(s.Values[settings.BusyEnter]), GroupBy: groupBySetting(s.Values[settings.GroupBy]),
			Permission: permissionSetting(s.Values[settings.Permission]),
		},
	}
	if s.Problem != nil {
		d.Problem = &settingsProblem{s.Problem.Line, s.Problem.Cause}
	}
	return d
}

// modeOfNew is what a new session may do that chose nothing.
func (a *API) modeOfNew() approval.Mode {
	if mode := a.o.Settings.Read().Values[settings.Permission]; mode != "" {
		return approval.Mode(mode)
	}
	return a.o.Approvals.Standard()
}
