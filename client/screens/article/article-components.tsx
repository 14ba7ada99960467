import type { ComponentType, ReactNode } from 'react';
import type { Figure } from '../../../shared/content/solution-schema.ts';
import { Figures } from '../../components/figure-row.tsx';
import shared from '../../components/shared.module.css';
import styles from './article-components.module.css';
import { HeadCell, Table, TableHead } from './article-table.tsx';

interface BlockProps {
  readonly children: ReactNode;
}

interface TitledBlockProps extends BlockProps {
  readonly title: string;
  /** Heading level, set by the build (`scripts/vite/article-modules.ts`). */
  readonly level: '2' | '3' | '4';
}

const makeTitledBlock = (className: string | undefined) =>
  function TitledBlock({ level, title, children }: TitledBlockProps) {
    const Heading = `h${level}` as const;

    return (
      <div className={className}>
        <Heading className={styles.title}>{title}</Heading>
        {children}
      </div>
    );
  };

/** The article's key points. */
function Summary({ children }: BlockProps) {
  return (
    <div className={styles.summary}>
      <h2 className={styles.title}>In short</h2>
      {children}
    </div>
  );
}

function Quote({ by, children }: BlockProps & { readonly by: string }) {
  return (
    <figure className={styles.quote}>
      <blockquote className={styles.words}>{children}</blockquote>
      <figcaption className={`${shared.note} ${styles.by}`}>{by}</figcaption>
    </figure>
  );
}

function FigureBand({ items }: { readonly items: readonly Figure[] }) {
  return (
    <div className={styles.figures}>
      <Figures figures={items} />
    </div>
  );
}

/** Components an article may use besides Markdown (CONTRIBUTING.md). */
export const articleComponents = {
  table: Table,
  thead: TableHead,
  th: HeadCell,
  Summary,
  /** A checklist. */
  Checklist: makeTitledBlock(styles.checklist),
  /** A case, a calculation or text to copy. */
  Example: makeTitledBlock(styles.example),
  Quote,
  Figures: FigureBand,
} as const satisfies Record<string, ComponentType<never>>;

export type ArticleComponents = typeof articleComponents;
