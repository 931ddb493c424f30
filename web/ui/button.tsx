import type { ButtonHTMLAttributes, ComponentChildren, Ref } from "preact";
import { Icon, type IconName } from "./icon";

type Native = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "class" | "icon">;

interface ButtonProps extends Native {
  /** `primary`: the one action of a surface; `danger`: that one where something is lost by it; `quiet`: one that recedes; `plain`: everything else. */
  readonly look?: "primary" | "danger" | "quiet" | "plain";
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}

export function Button({ look = "plain", icon, children, ...native }: ButtonProps) {
  return (
    <button type="button" {...native} class={`button button-${look}`}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

interface IconButtonProps extends Native {
  readonly icon: IconName;
  /** The accessible name. */
  readonly label: string;
  readonly look?: "primary" | "plain";
  readonly buttonRef?: Ref<HTMLButtonElement>;
}

/** A square button with an icon alone; its name is for those who don't see it. */
export function IconButton({ icon, label, look = "plain", buttonRef, ...native }: IconButtonProps) {
  return (
    <button type="button" {...native} ref={buttonRef ?? null} aria-label={label} class={`icon-button icon-button-${look}`}>
      <Icon name={icon} />
    </button>
  );
}
