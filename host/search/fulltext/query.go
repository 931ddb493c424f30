package fulltext

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"keylane/host/search"
)

// expression is a query in the language of FTS5 (https://www.sqlite.org/fts5.html, "Full-text Query Syntax"). Words are letters and digits, so
// that nothing in them needs an escape.
func expression(q search.Query) string {
	var out strings.Builder
	for i, phrase := range q.Phrases {
		if i > 0 {
			out.WriteString(" AND ")
		}
		out.WriteString(`"` + strings.Join(phrase, " ") + `"`)
	}
	return out.String() + " *"
}

// found is a session of an answer, with its number in the index.
type found struct {
	id       string
	number   int64
	activity int64
}

// search answers from the index alone, with sessions that are listed.
func (d *database) search(ctx context.Context, q search.Query, listed sessions) (search.Answer, error) {
	var all []found
	err := d.rows(ctx, func(scan func(...any) error) error {
		var f found
		if err := scan(&f.number, &f.id); err != nil {
			return err
		}
		if entry, there := listed[f.id]; there {
			f.activity = entry.LastActivity
			all = append(all, f)
		}
		return nil
	}, `SELECT session.number, session.id FROM word JOIN session ON session.number = word.rowid WHERE word MATCH ?`, expression(q))
	if err != nil {
		return search.Answer{}, err
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(b.activity, a.activity), cmp.Compare(a.id, b.id)) })
	answer := search.Answer{HasMore: len(all) > search.MaxHits}
	for _, f := range all[:min(len(all), search.MaxHits)] {
		excerpt, err := d.excerpt(ctx, q, f.number)
		if err != nil {
			return search.Answer{}, err
		}
		answer.Hits = append(answer.Hits, search.Hit{SessionID: f.id, Excerpt: excerpt})
	}
	return answer, nil
}

// excerpt is cut from the newest message that has most of what is asked for.
func (d *database) excerpt(ctx context.Context, q search.Query, number int64) (best search.Excerpt, err error) {
	most := 0
	err = d.rows(ctx, func(scan func(...any) error) error {
		var text string
		if most == len(q.Phrases) {
			return nil
		}
		if err := scan(&text); err != nil {
			return err
		}
		if cut, has := q.Excerpt(text); has > most {
			best, most = cut, has
		}
		return nil
	}, `SELECT text FROM message WHERE session = ? ORDER BY place DESC`, number)
	return best, err
}
