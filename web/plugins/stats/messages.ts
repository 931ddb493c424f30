import { defineMessages } from "keylane";

export const t = defineMessages({
  en: {
    stats: "Session statistics",
    turns: "{shown} {n|turn|turns}",
    steps: "{shown} {n|step|steps}",
    context: "Context {part} of {window}",
    tokens: "Tokens {input} in, {output} out",
  },
  zh: {
    stats: "会话统计",
    turns: "{shown} 轮",
    steps: "{shown} 步",
    context: "上下文 {part}（共 {window}）",
    tokens: "词元：输入 {input}，输出 {output}",
  },
});
