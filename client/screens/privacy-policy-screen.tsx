import * as text from '#files/legal/privacy-policy.mdx';
import { makeLegalScreen } from './legal/legal-page.tsx';

export const { Screen, getMeta } = makeLegalScreen(text);
