import { Component } from "preact";
import type { Row } from "keylane";
import { t } from "./messages";
import { RowView } from "./rows";

/** Rows that belong together: one prompt, or all that the agent did about it. */
export interface Section {
  readonly key: string;
  readonly who: "you" | "agent";
  readonly rows: readonly Row[];
}

export function sections(rows: readonly Row[]): readonly Section[] {
  const result: { key: string; who: "you" | "agent"; rows: Row[] }[] = [];
  for (const row of rows) {
    const who = row.kind === "user" ? "you" : "agent";
    const last = result.at(-1);
    if (last && last.who === who && who === "agent") last.rows.push(row);
    else result.push({ key: row.key, who, rows: [row] });
  }
  return result;
}

interface SectionProps {
  readonly section: Section;
  /** The row of it that the page was asked to show, if it is in this one. */
  readonly asked: string | undefined;
  /** What its label is said in. */
  readonly locale: string;
}

/**
 * Every event of a session makes a new list of rows, of which all but a few are the same objects as before. A section whose rows are the
 * same is not drawn again: a chunk costs what its own section costs, however long the conversation is. What else a row shows are signals,
 * which see to themselves.
 */
export class SectionView extends Component<SectionProps> {
  override shouldComponentUpdate(next: Readonly<SectionProps>): boolean {
    const { section, asked, locale } = this.props;
    const rows = next.section.rows;
    return asked !== next.asked || locale !== next.locale || section.who !== next.section.who || rows.length !== section.rows.length || rows.some((row, index) => row !== section.rows[index]);
  }

  override render() {
    const { section, asked, locale } = this.props;
    return (
      <article class={`section section-${section.who}`} aria-label={t(section.who)}>
        {section.rows.map((row) => <SteadyRow key={row.key} row={row} asked={row.key === asked} locale={locale} />)}
      </article>
    );
  }
}

interface SteadyRowProps {
  readonly row: Row;
  readonly asked: boolean;
  readonly locale: string;
}

/** The same for one row: an agent may have made hundreds since its prompt. */
class SteadyRow extends Component<SteadyRowProps> {
  override shouldComponentUpdate(next: Readonly<SteadyRowProps>): boolean {
    return next.row !== this.props.row || next.asked !== this.props.asked || next.locale !== this.props.locale;
  }

  override render() {
    return <RowView row={this.props.row} asked={this.props.asked} />;
  }
}
