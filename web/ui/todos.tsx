import type { Todo } from "../wire/types";
import { Icon, type IconName } from "./icon";

const icons: Record<Todo["status"], IconName> = { pending: "circle", in_progress: "circle-dot", completed: "circle-check" };

/** A to-do list. Every entry says its state in words too; `states` are those words. */
export function TodoList({ todos, states }: { todos: readonly Todo[]; states: Readonly<Record<Todo["status"], string>> }) {
  return (
    <ul class="todo-list">
      {todos.map((todo, index) => (
        <li key={index} class="todo" data-status={todo.status}>
          <span class="todo-icon"><Icon name={icons[todo.status]} /></span>
          <span class="todo-text">{todo.content}</span>
          <span class="visually-hidden"> {states[todo.status]}</span>
        </li>
      ))}
    </ul>
  );
}
