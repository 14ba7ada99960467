import { useId } from 'react';
import { Link } from 'react-router-dom';
import {
  helpLink,
  type MenuColumn,
  type MenuPromo,
  type NavigationMenu,
} from '../../../shared/content/navigation.ts';
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
        {links.map(({ label, line, to }) => (
          <li key={label}>
            <PageLink className={styles.link} to={to}>
              <span className={styles.label}>{label}</span>
              <span className={styles.line}>{line}</span>
            </PageLink>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Promo({ promo: { title, text, action } }: { promo: MenuPromo }) {
  return (
    <div className={styles.promo}>
      <p className={styles.promoTitle}>{title}</p>
      <p className={styles.promoText}>{text}</p>
      <Link className={styles.promoAction} to={action.to}>
        {action.label}
      </Link>
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
        <Promo promo={menu.promo} />
      </div>
      <p className={styles.help}>
        {helpLink.question} <Link to={helpLink.to}>{helpLink.label}</Link>
      </p>
    </div>
  );
}
