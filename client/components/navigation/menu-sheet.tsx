import {
  helpLink,
  type MenuColumn,
  type NavigationMenu,
} from '../../../shared/content/navigation.ts';
import { ContentIcon } from '../content-icon.tsx';
import { MenuPromo } from './menu-promo.tsx';
import styles from './menu-sheet.module.css';
import { PageLink } from './page-link.tsx';

function Column({ column: { heading, links } }: { column: MenuColumn }) {
  return (
    <div>
      {heading !== undefined && <p className={styles.heading}>{heading}</p>}
      <ul role="list" aria-label={heading}>
        {links.map(({ label, line, icon, to }) => (
          <li key={label}>
            <PageLink className={styles.link} href={to}>
              <ContentIcon className={styles.icon} name={icon} />
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
        {helpLink.question} <a href={helpLink.to}>{helpLink.label}</a>
      </p>
    </div>
  );
}
