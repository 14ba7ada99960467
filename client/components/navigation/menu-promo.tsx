import type { MenuPromo as MenuPromoContent } from '../../../shared/content/navigation.ts';
import masterclass from '../../assets/pictures/masterclass-promo.webp?promo';
import success from '../../assets/pictures/success-promo.webp?promo';
import type { PictureSource } from '../picture-source.ts';
import { ResponsivePicture } from '../responsive-picture.tsx';
import styles from './menu-promo.module.css';

const pictures: Readonly<Record<MenuPromoContent['picture'], PictureSource>> = {
  masterclass: { landscape: masterclass },
  success: { landscape: success },
};

/** The card at the side of a menu. Its picture is fetched when the menu opens. */
export function MenuPromo({ promo: { picture, title, text, action } }: { promo: MenuPromoContent }) {
  return (
    <div className={styles.promo}>
      <ResponsivePicture className={styles.picture} source={pictures[picture]} alt="" sizes="320px" />
      <div className={styles.words}>
        <p className={styles.title}>{title}</p>
        <p className={styles.text}>{text}</p>
        <a className={styles.action} href={action.to}>
          {action.label}
        </a>
      </div>
    </div>
  );
}
