import { defineMessages } from "keylane";

export const t = defineMessages({
  en: {
    settings: "Settings",
    sections: "Sections",
    close: "Close",
  },
  zh: {
    settings: "设置",
    sections: "分类",
    close: "关闭",
  },
});
