import { months, pattern } from 'virtual:day-format';
import type { ListedArticle } from '../../shared/content/article.ts';
import styles from './byline.module.css';

/** Formats a date as the server does. `Intl.DateTimeFormat` would delay hydration by 60 ms on a phone. */
function formatDay(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');

  return pattern
    .replace('{month}', months[Number(month) - 1] ?? '')
    .replace('{day}', String(Number(day)))
    .replace('{year}', year);
}

/** A date in words. @param date `YYYY-MM-DD` */
export function Day({ date }: { date: string }) {
  return <time dateTime={date}>{formatDay(date)}</time>;
}

interface BylineProps {
  readonly article: Pick<ListedArticle, 'author' | 'date' | 'readMinutes'>;
  readonly className?: string | undefined;
}

/** An article's author, date and reading time. */
export function Byline({ article: { author, date, readMinutes }, className = '' }: BylineProps) {
  return (
    <p className={`${styles.byline} ${className}`.trimEnd()}>
      <span>{author}</span> <Day date={date} /> <span>{`${readMinutes} min read`}</span>
    </p>
  );
}
