import { logo } from 'virtual:logo';
import { anchors, routePatterns } from '../../shared/paths.ts';
import { useSite } from '../app/page-state.tsx';
import styles from './header.module.css';
import { DesktopNavigation } from './navigation/desktop-navigation.tsx';
import { MobileNavigation } from './navigation/mobile-navigation.tsx';

/** The first stop of the Tab key: past the header. */
export function SkipLink() {
  return (
    <a className={styles.skipLink} href={`#${anchors.main}`}>
      Skip to content
    </a>
  );
}

/** The mark and the site's name, leading home. */
export function SiteLogo() {
  const { name } = useSite();

  return (
    <a className={styles.logo} href={routePatterns.home}>
      <span className={styles.mark} aria-hidden="true" dangerouslySetInnerHTML={{ __html: logo }} />
      <span className={styles.name}>{name}</span>
    </a>
  );
}

/** One of the two navigations is shown, by the screen's width. Without `useId`: it is rendered apart from pages. */
export function HeaderContent() {
  return (
    <div className={styles.bar}>
      <SiteLogo />
      <DesktopNavigation />
      <MobileNavigation />
    </div>
  );
}

/** Above the pages of sales: the site's name and nothing else. */
export function ToolHeader() {
  return (
    <header className={styles.tool}>
      <SiteLogo />
    </header>
  );
}

/** Stays at the top of every public page. @param markup of its content, where the server has rendered it before */
export function Header({ markup }: { markup: string | undefined }) {
  return markup === undefined ? (
    <header className={styles.header}>
      <HeaderContent />
    </header>
  ) : (
    <header className={styles.header} dangerouslySetInnerHTML={{ __html: markup }} />
  );
}
