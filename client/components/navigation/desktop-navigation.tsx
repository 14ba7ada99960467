import {
  assessmentLink,
  headerItems,
  type HeaderItem,
  type NavigationMenu,
} from '../../../shared/content/navigation.ts';
import { ButtonLink } from '../button-link.tsx';
import { Icon } from '../icon.tsx';
import styles from './desktop-navigation.module.css';
import { MenuSheet } from './menu-sheet.tsx';
import { PageLink, useCurrentSection } from './page-link.tsx';
import { useHoverMenu } from './use-menus.ts';

function Menu({ menu }: { menu: NavigationMenu }) {
  const { details, summary } = useHoverMenu();

  return (
    <details {...details} name="desktop-menu">
      <summary {...summary} className={styles.item} aria-current={useCurrentSection(menu.section)}>
        {menu.label}
        <Icon className={styles.chevron} name="chevron-down" />
      </summary>
      <div className={styles.sheet}>
        <MenuSheet menu={menu} />
      </div>
    </details>
  );
}

function renderItem(item: HeaderItem) {
  if ('columns' in item) return <Menu menu={item} />;

  return (
    <PageLink className={styles.item} href={item.to}>
      {item.label}
    </PageLink>
  );
}

/** The navigation on screens wider than mobile. */
export function DesktopNavigation() {
  return (
    <nav className={styles.navigation} aria-label="Main">
      <ul className={styles.items} role="list">
        {headerItems.map((item) => (
          <li key={item.label}>{renderItem(item)}</li>
        ))}
      </ul>
      <ButtonLink href={assessmentLink.to} size="small">
        {assessmentLink.label}
      </ButtonLink>
    </nav>
  );
}
