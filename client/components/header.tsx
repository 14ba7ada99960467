import { logo } from 'virtual:logo';
import { anchors, routePatterns } from '../../shared/paths.ts';
import { useSite } from '../app/page-state.tsx';
import styles from './header.module.css';
import { DesktopNavigation } from './navigation/desktop-navigation.tsx';
import { MobileNavigation } from './navigation/mobile-navigation.tsx';

/** The link that skips the header. It is the first Tab stop. */
export function SkipLink() {
  return (
    <a className={styles.skipLink} href={`#${anchors.main}`}>
      Skip to content
    </a>
  );
}

/** Logo and site name, linked to the home page. */
export function SiteLogo() {
  const { name } = useSite();

  return (
    <a className={styles.logo} href={routePatterns.home}>
      <span className={styles.mark} aria-hidden="true" dangerouslySetInnerHTML={{ __html: logo }} />
      <span className={styles.name}>{name}</span>
    </a>
  );
}

/**
 * The header's content. CSS shows one of the two navigations, depending on screen width. Must not call `useId`, because
 * it is rendered separately from the page.
 */
export function HeaderContent() {
  return (
    <div className={styles.bar}>
      <SiteLogo />
      <DesktopNavigation />
      <MobileNavigation />
    </div>
  );
}

/** The header of sales pages, with only the logo and the site name. */
export function ToolHeader() {
  return (
    <header className={styles.tool}>
      <SiteLogo />
    </header>
  );
}

/** The sticky header of public pages. @param markup its content if the server has already rendered it */
export function Header({ markup }: { markup: string | undefined }) {
  return markup === undefined ? (
    <header className={styles.header}>
      <HeaderContent />
    </header>
  ) : (
    <header className={styles.header} dangerouslySetInnerHTML={{ __html: markup }} />
  );
}
