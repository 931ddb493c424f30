package api

import (
	"context"
	"errors"

	"keylane/host/credentials"
)

// credentialsDescription tells of the credentials that providers need, and never of their values.
type credentialsDescription struct {
	Items []credentialItem `json:"items"`
	// File is where the stored ones are.
	File string `json:"file"`
	// Problem is what a person has to mend about the file; absent when nothing is.
	Problem string `json:"problem,omitempty"`
}

// credentialItem is one credential.
type credentialItem struct {
	Ref string `json:"ref"`
	// Name is of who needs it, as people read it.
	Name string `json:"name"`
	// Source is where the one that counts comes from.
	Source credentials.Source `json:"source"`
	// Stored is whether the file has one, also while another counts.
	Stored bool `json:"stored"`
	// Variable of the environment that is asked before the file; absent when none is.
	Variable string `json:"variable,omitempty"`
}

// credentialsFrame tells that a credential was stored or removed here.
type credentialsFrame struct {
	Ref string `json:"ref"`
}

// credentialChanged is called by the store, in order.
func (f *feed) credentialChanged(ref string) {
	f.host.update(func(emit emitter) { emit("host/credentials-changed", credentialsFrame{ref}) })
}

func (a *API) describeCredentials(context.Context, string, nothing) (credentialsDescription, error) {
	d := credentialsDescription{Items: []credentialItem{}, File: a.o.Credentials.File()}
	for _, status := range a.o.Credentials.Status() {
		d.Items = append(d.Items, credentialItem{status.Ref, status.Name, status.Source, status.Stored, status.Variable})
	}
	if err := a.o.Credentials.Problem(); err != nil {
		d.Problem = err.Error()
	}
	return d, nil
}

type setCredentialPayload struct {
	Ref string `json:"ref" wire:"min=1"`
	// Value is stored without the white space around it. No answer ever has it.
	Value string `json:"value" wire:"min=1"`
}

func (a *API) setCredential(ctx context.Context, rpcID string, p setCredentialPayload) (credentialsDescription, error) {
	if err := a.o.Credentials.Set(p.Ref, p.Value); err != nil {
		return credentialsDescription{}, credentialError(p.Ref, err)
	}
	return a.describeCredentials(ctx, rpcID, nothing{})
}

type unsetCredentialPayload struct {
	Ref string `json:"ref" wire:"min=1"`
}

func (a *API) unsetCredential(ctx context.Context, rpcID string, p unsetCredentialPayload) (credentialsDescription, error) {
	if err := a.o.Credentials.Unset(p.Ref); err != nil {
		return credentialsDescription{}, credentialError(p.Ref, err)
	}
	return a.describeCredentials(ctx, rpcID, nothing{})
}

func credentialError(ref string, err error) error {
	var reason credentialReason
	switch {
	case errors.Is(err, credentials.ErrUnknown):
		reason = credentialUnknown
	case errors.Is(err, credentials.ErrInvalid):
		reason = credentialInvalid
	case errors.Is(err, credentials.ErrBroken):
		reason = credentialBroken
	default:
		return err
	}
	return fail(CredentialRejected, err.Error(), map[string]any{"ref": ref, "reason": string(reason)})
}

// credentialReason is why a credential was not stored.
type credentialReason string

// The reasons.
const (
	credentialUnknown credentialReason = "unknown"
	credentialInvalid credentialReason = "invalid"
	credentialBroken  credentialReason = "broken"
)
