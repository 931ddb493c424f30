import { defineMessages } from "keylane";

export const t = defineMessages({
  en: {
    todos: "To-dos",
    label: "To-dos, {done} of {total} done",
    count: "{done} of {total} done",
    pending: "(to do)",
    inProgress: "(in progress)",
    completed: "(done)",
  },
  zh: {
    todos: "待办",
    label: "待办，已完成 {done}/{total}",
    count: "已完成 {done}/{total}",
    pending: "（待办）",
    inProgress: "（进行中）",
    completed: "（已完成）",
  },
});
