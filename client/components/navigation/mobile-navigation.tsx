import { assessmentLink, headerItems, type HeaderItem } from '../../../shared/content/navigation.ts';
import { ButtonLink } from '../button-link.tsx';
import { ChevronIcon, CloseIcon, MenuIcon } from './icons.tsx';
import { MenuSheet } from './menu-sheet.tsx';
import styles from './mobile-navigation.module.css';
import { PageLink } from './page-link.tsx';
import { useDisclosure } from './use-disclosure.ts';

function renderItem(item: HeaderItem) {
  if (!('columns' in item)) {
    return (
      <PageLink className={styles.item} to={item.to}>
        {item.label}
      </PageLink>
    );
  }

  return (
    <details name="mobile-menu">
      <summary className={styles.item}>
        {item.label}
        <ChevronIcon />
      </summary>
      <div className={styles.sheet}>
        <MenuSheet menu={item} />
      </div>
    </details>
  );
}

/** The navigation of small screens, behind a button. */
export function MobileNavigation() {
  const { detailsRef, closeOnFocusOut } = useDisclosure();

  return (
    <nav className={styles.navigation} aria-label="Main">
      <details className={styles.drawer} ref={detailsRef} onBlur={closeOnFocusOut}>
        <summary className={styles.button}>
          <span className={styles.closed}>
            <MenuIcon />
          </span>
          <span className={styles.open}>
            <CloseIcon />
          </span>
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
          <ButtonLink to={assessmentLink.to}>{assessmentLink.label}</ButtonLink>
        </div>
      </details>
    </nav>
  );
}
