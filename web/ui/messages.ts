// Words of the components that more than one plugin shows.

import { defineMessages } from "../shell/i18n";

export const t = defineMessages({
  en: {
    copied: "Copied",
    copyFailed: "Copy failed",
    showAll: "… {n} more {n|line|lines}, show all",
    showLess: "Show less",
    changes: "Changes",
    newFile: "new file",
    noChanges: "nothing changed",
    linesAdded: "{n} {n|line|lines} added",
    linesRemoved: "{n} {n|line|lines} removed",
    lineAdded: "Added:",
    lineRemoved: "Removed:",
    fromLine: "From line {n}",
    noLineEnd: "No line break at the end of the file",
    copyDiff: "Copy changes",
    diffTruncated: "The change is longer than what is shown here.",
  },
  zh: {
    copied: "已复制",
    copyFailed: "复制失败",
    showAll: "… 还有 {n} 行，显示全部",
    showLess: "收起",
    changes: "更改",
    newFile: "新文件",
    noChanges: "没有更改",
    linesAdded: "新增 {n} 行",
    linesRemoved: "删除 {n} 行",
    lineAdded: "新增：",
    lineRemoved: "删除：",
    fromLine: "从第 {n} 行起",
    noLineEnd: "文件末尾没有换行符",
    copyDiff: "复制更改",
    diffTruncated: "更改较长，此处只显示一部分。",
  },
});
