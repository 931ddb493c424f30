import "./tokens.css";
import { check, test } from "../testing/testing";

type Colour = readonly [red: number, green: number, blue: number];

/** The tokens of both themes, read from the style sheet itself: each colour is light-dark(…, …), or the same in both. */
function themes(): { readonly light: ReadonlyMap<string, string>; readonly dark: ReadonlyMap<string, string> } {
  const light = new Map<string, string>();
  const dark = new Map<string, string>();
  for (const rule of Array.from(document.styleSheets).flatMap((sheet) => Array.from(sheet.cssRules))) {
    if (!(rule instanceof CSSStyleRule)) continue;
    for (const name of rule.style) {
      const value = rule.style.getPropertyValue(name).trim();
      const both = /^light-dark\((#\w+), (#\w+)\)$/.exec(value);
      light.set(name, both?.[1] ?? value);
      dark.set(name, both?.[2] ?? value);
    }
  }
  return { light, dark };
}

function colour(tokens: ReadonlyMap<string, string>, name: string): Colour {
  const found = /^#(..)(..)(..)$/.exec(tokens.get(name) ?? "");
  if (!found) throw new Error(`${name} is ${tokens.get(name)}, no colour of six digits`);
  return [1, 2, 3].map((part) => parseInt(found[part]!, 16)) as unknown as Colour;
}

const mixed = (a: Colour, b: Colour, share: number): Colour => a.map((part, index) => part * share + b[index]! * (1 - share)) as unknown as Colour;

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrast(a: Colour, b: Colour): number {
  const luminance = (value: Colour) => {
    const [red, green, blue] = value.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)) as unknown as Colour;
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [bright, dim] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
}

const hues = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

for (const [theme, tokens] of Object.entries(themes())) {
  test(`text and states can be read in the ${theme} theme`, () => {
    for (const surface of ["--surface-0", "--surface-1", "--surface-2"]) {
      for (const text of ["--text-1", "--text-2", "--text-3"]) {
        const ratio = contrast(colour(tokens, text), colour(tokens, surface));
        check(ratio >= 4.5, `${text} on ${surface}: ${ratio.toFixed(2)}`);
      }
    }
  });

  test(`every colour of a terminal can be read in the ${theme} theme, as text and as ground`, () => {
    const card = colour(tokens, "--surface-1");
    for (const hue of hues) {
      const own = colour(tokens, `--terminal-${hue}`);
      check(contrast(own, card) >= 4.5, `${hue}: ${contrast(own, card).toFixed(2)}`);
      const onGround = contrast(colour(tokens, "--text-1"), mixed(own, card, 0.24));
      check(onGround >= 4.5, `text on ${hue}: ${onGround.toFixed(2)}`);
    }
  });
}
