import { defineMessages } from "keylane";

export const t = defineMessages({
  en: {
    search: "Search sessions",
    placeholder: "Search sessions…",
    clear: "Clear search",
    results: "Search results",
    asking: "Searching…",
    none: "No matching sessions",
    more: "Showing the first 20 results. Narrow your search.",
    unavailable: "Content search is temporarily unavailable. Showing name matches.",
    retry: "Try again",
  },
  zh: {
    search: "搜索会话",
    placeholder: "搜索会话…",
    clear: "清除搜索",
    results: "搜索结果",
    asking: "正在搜索…",
    none: "没有匹配的会话",
    more: "仅显示前 20 个结果，请缩小搜索范围。",
    unavailable: "内容搜索暂时不可用，仅显示名称匹配。",
    retry: "重试",
  },
});
