import type { ReactNode } from 'react';
import styles from './task-page.module.css';

interface TaskPageProps {
  /** The subject of the task, above the title. */
  readonly label: string;
  readonly title: string;
  readonly children: ReactNode;
}

/** The page behind a link in a mail. It offers one task or confirms its completion. */
export function TaskPage({ label, title, children }: TaskPageProps) {
  return (
    <div className={styles.page}>
      <p className={styles.label}>{label}</p>
      <h1 className={styles.title}>{title}</h1>
      {children}
    </div>
  );
}
