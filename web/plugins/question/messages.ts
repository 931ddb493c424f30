import { defineMessages } from "keylane";

export const t = defineMessages({
  en: {
    dismissAll: "Dismiss all questions",
    yourAnswer: "Type your answer",
    previous: "Previous question",
    next: "Next question",
    page: "{at} / {count}",
    skip: "Skip this question",
    submit: "Submit",
    stop: "Stop",
    sending: "Sending…",
    answerFirst: "Choose or write an answer, or skip the question.",
    unreachable: "keylane does not answer. Your answer is kept; submit it again.",
    notPending: "This question is no longer waiting for an answer.",
    refused: "The answer was not accepted ({code}).",
  },
  zh: {
    dismissAll: "忽略所有问题",
    yourAnswer: "输入你的回答",
    previous: "上一个问题",
    next: "下一个问题",
    page: "{at} / {count}",
    skip: "跳过此问题",
    submit: "提交",
    stop: "停止",
    sending: "正在发送…",
    answerFirst: "请选择或填写回答，或跳过此问题。",
    unreachable: "keylane 没有响应。你的回答已保留，可再次提交。",
    notPending: "此问题已不再等待回答。",
    refused: "回答未被接受（{code}）。",
  },
});
