import { defineMessages } from "keylane";

export const t = defineMessages({
  en: {
    newSession: "New session",
    sessions: "Sessions",
    untitled: "New session",
    unreadable: "Unreadable session",
    item: "{title}, {time}",
    running: "Running",
    waiting: "Waiting for you",
    loading: "Loading sessions…",
    empty: "No sessions yet. What you ask will be kept here.",
    failed: "The sessions could not be listed",
    foldersFailed: "The list of folders cannot be read",
    foldersHelp: "Your sessions are safe. Mend this file or move it away; until then no new session can begin.",
    retry: "Try again",
  },
  zh: {
    newSession: "新会话",
    sessions: "会话",
    untitled: "新会话",
    unreadable: "无法读取的会话",
    item: "{title}，{time}",
    running: "运行中",
    waiting: "等待你处理",
    loading: "正在加载会话…",
    empty: "还没有会话。你的提问会保存在这里。",
    failed: "无法列出会话",
    foldersFailed: "无法读取文件夹列表",
    foldersHelp: "你的会话没有丢失。请修复或移走此文件；在此之前无法开始新会话。",
    retry: "重试",
  },
});
