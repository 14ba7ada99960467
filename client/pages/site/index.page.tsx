export { App as Page } from '../../app/app.tsx';
