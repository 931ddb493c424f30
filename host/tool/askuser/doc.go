// Package askuser is the tool with which a model asks the person something, and the desk where the questions wait for an answer.
//
// [Desk.Ask], called by the tool, blocks until somebody answers or dismisses the questions or the turn is aborted; the api shows what
// waits and brings the answers. A question is no event: in the log it is an ordinary call of ask_user_question, and the answer is the
// call's result, the JSON text {"answers":[{"id":…,"selected":[…],"custom":…}]}, one answer per question in their order. What waits does
// not survive the host; the turn it belongs to does not either.
//
// The desk checks answers against their questions, so the tool never sees one that does not fit. An answer without a selection and
// without words of its own means that the person skipped the question.
package askuser
