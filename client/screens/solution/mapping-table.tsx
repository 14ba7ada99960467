import type { MappingRow } from '../../../shared/content/solution-pages/solution-page.ts';
import styles from './mapping-table.module.css';

const headings = ['Today, by hand', 'What takes it over', 'What the team gets back'] as const;

/**
 * How tasks move. The roles are explicit because a table laid out as blocks, as on phones, loses
 * them in some browsers.
 */
export function MappingTable({ rows }: { rows: readonly MappingRow[] }) {
  return (
    <table className={styles.table} role="table">
      <thead className={styles.head} role="rowgroup">
        <tr role="row">
          {headings.map((heading) => (
            <th key={heading} scope="col" role="columnheader">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(({ task, takenOverBy, givesBack }) => (
          <tr key={task} className={styles.row} role="row">
            <th className={styles.task} scope="row" role="rowheader">
              {task}
            </th>
            <td className={styles.cell} role="cell">
              <span className={styles.label} aria-hidden="true">
                {headings[1]}
              </span>
              {takenOverBy}
            </td>
            <td className={styles.cell} role="cell">
              <span className={styles.label} aria-hidden="true">
                {headings[2]}
              </span>
              {givesBack}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
