import { months, pattern } from 'virtual:day-format';
import type { ListedArticle } from '../../shared/content/article.ts';
import styles from './byline.module.css';

/**
 * The same words on the server and in every browser. Without `Intl.DateTimeFormat`, whose first use
 * takes a phone 60 ms, longer than all else of a page's start.
 */
function writeDay(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');

  return pattern
    .replace('{month}', months[Number(month) - 1] ?? '')
    .replace('{day}', String(Number(day)))
    .replace('{year}', year);
}

/** A day of the calendar in words. @param date `YYYY-MM-DD` */
export function Day({ date }: { date: string }) {
  return <time dateTime={date}>{writeDay(date)}</time>;
}

interface BylineProps {
  readonly article: Pick<ListedArticle, 'author' | 'date' | 'readMinutes'>;
  readonly className?: string | undefined;
}

/** Author, day and reading time of an article, with dots between those that share a line. */
export function Byline({ article: { author, date, readMinutes }, className = '' }: BylineProps) {
  return (
    <p className={`${styles.byline} ${className}`.trimEnd()}>
      <span>{author}</span> <Day date={date} /> <span>{`${readMinutes} min read`}</span>
    </p>
  );
}
