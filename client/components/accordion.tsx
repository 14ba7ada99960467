import { useId, type MouseEvent, type ReactNode } from 'react';
import type { TitledText } from '../../shared/content/solution-schema.ts';
import styles from './accordion.module.css';
import { Icon } from './icon.tsx';

interface AccordionItem {
  readonly title: string;
  /** An icon or a number before the title. */
  readonly mark: ReactNode;
  readonly content: ReactNode;
}

interface AccordionProps {
  readonly items: readonly AccordionItem[];
  /** Whether an item closes only when another one opens. */
  readonly isOneAlwaysOpen?: boolean;
}

/** Prevents a click from closing the open item. */
function keepOpen(event: MouseEvent<HTMLElement>): void {
  if (event.currentTarget.closest('details')?.open) event.preventDefault();
}

/** A list with one open item at a time, initially the first. Works without scripts. */
export function Accordion({ items, isOneAlwaysOpen = false }: AccordionProps) {
  const name = useId();

  return (
    <div className={styles.accordion}>
      {items.map(({ title, mark, content }, index) => (
        <details key={title} className={styles.item} name={name} open={index === 0}>
          <summary
            className={styles.summary}
            onClick={isOneAlwaysOpen ? keepOpen : undefined}
          >
            <span className={styles.mark}>{mark}</span>
            <h3 className={styles.title}>{title}</h3>
            <Icon className={styles.chevron} name="chevron-down" />
          </summary>
          <div className={styles.content}>{content}</div>
        </details>
      ))}
    </div>
  );
}

/** Numbered steps. One of them is always open. */
export function StepList({ steps }: { steps: readonly TitledText[] }) {
  return (
    <Accordion
      isOneAlwaysOpen
      items={steps.map(({ title, text }, index) => ({
        title,
        mark: index + 1,
        content: <p>{text}</p>,
      }))}
    />
  );
}
