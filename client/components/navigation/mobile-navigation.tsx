import { assessmentLink, headerItems, type HeaderItem } from '../../../shared/content/navigation.ts';
import { ButtonLink } from '../button-link.tsx';
import { Icon } from '../icon.tsx';
import { MenuSheet } from './menu-sheet.tsx';
import styles from './mobile-navigation.module.css';
import { PageLink } from './page-link.tsx';
import { useDrawer } from './use-menus.ts';

function renderItem(item: HeaderItem) {
  if (!('columns' in item)) {
    return (
      <PageLink className={styles.item} href={item.to}>
        {item.label}
      </PageLink>
    );
  }

  return (
    <details name="mobile-menu">
      <summary className={styles.item}>
        {item.label}
        <Icon className={styles.chevron} name="chevron-down" />
      </summary>
      <div className={styles.sheet}>
        <MenuSheet menu={item} />
      </div>
    </details>
  );
}

/** The navigation on small screens, behind a button. */
export function MobileNavigation() {
  const drawer = useDrawer();

  return (
    <nav className={styles.navigation} aria-label="Main">
      <details {...drawer} className={styles.drawer}>
        <summary className={styles.button}>
          <Icon className={styles.closed} name="menu" />
          <Icon className={styles.open} name="x" />
          Menu
        </summary>
        <div className={styles.panel}>
          <ul role="list">
            {headerItems.map((item) => (
              <li key={item.label} className={styles.row}>
                {renderItem(item)}
              </li>
            ))}
          </ul>
          <ButtonLink href={assessmentLink.to}>{assessmentLink.label}</ButtonLink>
        </div>
      </details>
    </nav>
  );
}
