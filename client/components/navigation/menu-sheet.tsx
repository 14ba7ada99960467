import { useId } from 'react';
import { Link } from 'react-router-dom';
import {
  helpLink,
  type MenuColumn,
  type NavigationMenu,
} from '../../../shared/content/navigation.ts';
import { Icon } from '../icon.tsx';
import { MenuPromo } from './menu-promo.tsx';
import styles from './menu-sheet.module.css';
import { PageLink } from './page-link.tsx';

function Column({ column: { heading, links } }: { column: MenuColumn }) {
  const headingId = useId();

  return (
    <div>
      {heading !== undefined && (
        <p className={styles.heading} id={headingId}>
          {heading}
        </p>
      )}
      <ul role="list" aria-labelledby={heading === undefined ? undefined : headingId}>
        {links.map(({ label, line, icon, to }) => (
          <li key={label}>
            <PageLink className={styles.link} to={to}>
              <Icon className={styles.icon} name={icon} />
              <span className={styles.label}>{label}</span>
              <span className={styles.line}>{line}</span>
            </PageLink>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The contents of a menu: two columns, a promotion, and where to ask. */
export function MenuSheet({ menu }: { menu: NavigationMenu }) {
  return (
    <div className={styles.contents}>
      <div className={styles.columns}>
        {menu.columns.map((column) => (
          <Column key={column.links[0]?.label} column={column} />
        ))}
        <MenuPromo promo={menu.promo} />
      </div>
      <p className={styles.help}>
        {helpLink.question} <Link to={helpLink.to}>{helpLink.label}</Link>
      </p>
    </div>
  );
}
