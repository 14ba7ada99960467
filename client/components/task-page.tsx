import type { ReactNode } from 'react';
import shared from './shared.module.css';
import styles from './task-page.module.css';

interface TaskPageProps {
  /** The subject of the task, shown above the title. */
  readonly label: string;
  readonly title: string;
  readonly children: ReactNode;
}

/** The page behind a link in an email. It offers one task or confirms its completion. */
export function TaskPage({ label, title, children }: TaskPageProps) {
  return (
    <div className={`${shared.stack} ${styles.page}`}>
      <p className={`${shared.note} ${styles.label}`}>{label}</p>
      <h1 className={styles.title}>{title}</h1>
      {children}
    </div>
  );
}
