//! `scan completions` and `scan man`: files for shells and for `man`.

use std::{io::Write, path::PathBuf};

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

/// Print completions for a shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Write the manual pages.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder for the pages: one for each command.
    #[arg(long, default_value = "man")]
    out: PathBuf,
}

/// Prints completions.
///
/// # Errors
/// Returns an error if standard output is closed.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "scan", &mut text);
    std::io::stdout().write_all(&text).context("standard output")
}

/// Writes a manual page for each command.
///
/// # Errors
/// Returns an error if the folder cannot be written.
pub fn man(args: &ManArgs, mut command: Command) -> anyhow::Result<()> {
    std::fs::create_dir_all(&args.out).with_context(|| format!("{}", args.out.display()))?;
    command.build();
    pages(&command, "scan", &args.out)
}

fn pages(command: &Command, name: &str, folder: &std::path::Path) -> anyhow::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name).render(&mut page)?;
    let path = folder.join(format!("{name}.1"));
    std::fs::write(&path, page).with_context(|| format!("{}", path.display()))?;
    for subcommand in command.get_subcommands().filter(|command| command.get_name() != "help") {
        pages(subcommand, &format!("{name}-{}", subcommand.get_name()), folder)?;
    }
    Ok(())
}
