// Style sheets are imported for their effect: the bundler writes them beside
// the module that names them.
declare module "*.css";
// So are licences of what a module took over: the bundler collects them.
declare module "*.txt";
