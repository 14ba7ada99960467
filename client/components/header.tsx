import styles from './header.module.css';
import { DesktopNavigation } from './navigation/desktop-navigation.tsx';
import { MobileNavigation } from './navigation/mobile-navigation.tsx';
import { SiteLogo } from './site-logo.tsx';

/** Stays at the top of every page. One of the two navigations is shown, by the screen's width. */
export function Header() {
  return (
    <header className={styles.header}>
      <div className={styles.bar}>
        <SiteLogo />
        <DesktopNavigation />
        <MobileNavigation />
      </div>
    </header>
  );
}
