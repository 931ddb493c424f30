import { defineMessages } from "keylane";

export const t = defineMessages({
  en: {
    setup: "Model setup",
    title: "No model is connected yet",
    missingKey: "Enter an API key. It stays on this machine. Or set {variable} in the environment and start keylane again.",
    enterKey: "Enter a key",
    notReady: "{provider} is not ready ({reason}).",
    none: "No model provider is set up. Set {variable} in the environment and start keylane again.",
    demoHelp: "Or look around first: the demo answers from a recording, and needs no key. Its tools really run.",
    tryDemo: "Try the demo",
    prompts: "Prompts the demo knows",
    demoLead: "The demo answers these:",
    demoNext: "Next in the demo:",
    failed: "The prompt was not sent ({code}). Try again.",
  },
  zh: {
    setup: "模型设置",
    title: "尚未连接模型",
    missingKey: "请输入 API 密钥，密钥只保存在本机。也可以在环境变量中设置 {variable}，然后重新启动 keylane。",
    enterKey: "输入密钥",
    notReady: "{provider} 尚未就绪（{reason}）。",
    none: "尚未设置模型提供方。请在环境变量中设置 {variable}，然后重新启动 keylane。",
    demoHelp: "也可以先看看演示：它用录制的内容回答，不需要密钥，工具则会真实运行。",
    tryDemo: "试用演示",
    prompts: "演示可回答的提问",
    demoLead: "演示可以回答：",
    demoNext: "演示的下一步：",
    failed: "提问未能发送（{code}），请重试。",
  },
});
