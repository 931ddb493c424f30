// Style sheets are imported for their effect: the bundler writes them beside
// the module that names them.
declare module "*.css";
