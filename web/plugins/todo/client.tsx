// The dock above the composer that shows the agent's to-do list: one line, and the list when it is opened.

import "./todo.css";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Icon, TodoList, useClient, type PluginScope } from "keylane";
import { t } from "./messages";

export function activate(scope: PluginScope): void {
  scope.fill("dock", TodoDock, -5);
}

/** Nothing without a list, and nothing once all is done and the agent rests. */
function TodoDock() {
  const client = useClient();
  const open = useSignal(false);
  const id = useId();
  const todos = client.open.value?.todos.value ?? [];
  const done = todos.filter((todo) => todo.status === "completed").length;
  if (todos.length === 0 || (done === todos.length && !client.running.value)) return null;
  const current = todos.find((todo) => todo.status === "in_progress") ?? todos.find((todo) => todo.status === "pending");
  return (
    <section class="todos" aria-label={t("todos")}>
      <div class="todos-line">
        <span class="todos-icon"><Icon name="list-todo" /></span>
        <button
          type="button"
          class="todos-button"
          aria-label={t("label", { done, total: todos.length })}
          aria-expanded={open.value}
          aria-controls={open.value ? id : undefined}
          onClick={() => (open.value = !open.value)}
        >
          {t("count", { done, total: todos.length })}
        </button>
        {!open.value && current && <span class="todos-current">{current.content}</span>}
        <span class="todos-chevron" data-open={open.value}><Icon name="chevron-right" /></span>
      </div>
      {open.value && (
        <div id={id} class="todos-list">
          <TodoList todos={todos} states={{ pending: t("pending"), in_progress: t("inProgress"), completed: t("completed") }} />
        </div>
      )}
    </section>
  );
}
