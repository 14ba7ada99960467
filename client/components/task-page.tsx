import type { ReactNode } from 'react';
import styles from './task-page.module.css';

interface TaskPageProps {
  /** What the task belongs to, above the title. */
  readonly label: string;
  readonly title: string;
  readonly children: ReactNode;
}

/** The page behind a link in a mail: one thing to do, or to know that it is done. */
export function TaskPage({ label, title, children }: TaskPageProps) {
  return (
    <div className={styles.page}>
      <p className={styles.label}>{label}</p>
      <h1 className={styles.title}>{title}</h1>
      {children}
    </div>
  );
}
