import type { MappingRow } from '../../../shared/content/solution-pages/solution-page.ts';
import styles from './mapping-table.module.css';

const headings = ['Today, by hand', 'What takes it over', 'What the team gets back'] as const;

/**
 * How tasks move, drawn as papers that become rows. The roles are explicit because a table that is laid out as a grid
 * loses them in some browsers.
 */
export function MappingTable({ rows }: { rows: readonly MappingRow[] }) {
  return (
    <table className={styles.table} role="table">
      <thead className={styles.head} role="rowgroup">
        <tr className={styles.row} role="row">
          <th scope="col" role="columnheader">
            {headings[0]}
          </th>
          <th className={styles.takenOver} scope="col" role="columnheader">
            {headings[1]}
          </th>
          <th className={styles.givesBack} scope="col" role="columnheader">
            {headings[2]}
          </th>
        </tr>
      </thead>
      <tbody className={styles.body} role="rowgroup">
        {rows.map(({ task, takenOverBy, givesBack }) => (
          <tr key={task} className={styles.row} role="row">
            <th className={styles.task} scope="row" role="rowheader">
              {task}
            </th>
            <td className={`${styles.cell} ${styles.takenOver}`} role="cell">
              {takenOverBy}
            </td>
            <td className={`${styles.cell} ${styles.givesBack}`} role="cell">
              {givesBack}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
