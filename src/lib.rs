//! orchestrate compares HTTP servers written in different languages, and says how far its own numbers can be trusted.
//!
//! A *matrix* names targets, workloads and loads. A *plan* puts their cells in order, round by round. Each *trial* starts
//! one server as a child process, checks its answer, loads it, samples what it costs, and stops it; what happened is a
//! *record*. Judges say what held it back and what is to be doubted, and reports turn records into tables.
//!
//! # Codemap
//!
//! The modules stand in reading order; each imports only from those above it (`tests/it/levels.rs` holds this).
//!
//! | module | holds |
//! |---|---|
//! | [`units`], [`clock`], [`outcome`] | quantities, the one reader of time, the closed lists |
//! | [`digest`], [`affinity`], [`processes`], [`interrupt`], [`places`] | digests, CPUs of a thread, processes, signals, folders |
//! | [`stats`] | pure arithmetic: means, intervals, trends |
//! | [`record`] | what is kept on disk |
//! | [`event`] | what is told while a run goes on |
//! | [`assets`] | the files that servers serve, made the same on every machine |
//! | [`http`] | HTTP/1 as bytes: requests out, answers in, which answer is right |
//! | [`matrix`] | what the user wrote, and what it means |
//! | [`schema`] | the shape of every file that is read or written, for editors and programs |
//! | [`draft`] | matrices and targets that are written for who has none yet |
//! | [`plan`] | which cells, in which order, and how long that takes |
//! | [`target`], [`generator`], [`usage`], [`host`] | a server's process tree; its load; its cost; the machine, and what else it does |
//! | [`judge`] | what held a cell back, and what is to be doubted; what of a machine spoils figures |
//! | [`prepare`] | tools and builds of all targets, before the first trial |
//! | [`revision`] | the targets of a matrix as they were at a revision of their sources |
//! | [`lifecycle`] | one server of a target, from start to stop |
//! | [`service`] | what targets need besides: started, watched, started again, stopped |
//! | [`trial`] | one trial from start to stop: the one place where measurements become records |
//! | [`conformance`] | does a target keep what it claims? asked without load |
//! | [`run`] | all trials of a plan, in order |
//! | [`compare`], [`history`] | two runs, row by row; many runs of one matrix: series, levels, changes |
//! | [`report`] | from records to tables, charts and pages, and to blocks of pages that people write |
//! | [`error`], [`console`], [`cli`] | the ends and their exit codes, the terminal, the words a user may type |
//! | [`commands`] | one thin file a verb: the only place that joins stages |
//!
//! # Invariants
//!
//! - A report is made from a run's folder alone: `report`, `compare`, `history` and `judge` never import what runs things.
//! - `target`, `generator`, `usage` and `host` do not know each other; they meet in `lifecycle` and `trial`.
//! - `http`, `plan`, `stats`, `judge`, `compare`, `history`, `report` and `units` do no IO, start nothing and read no clock.
//! - Only `console` prints, only `main` exits, only `clock` reads time, only `target` starts processes.
//! - Nothing that happens to a target ends a run, and nothing that goes wrong with us passes as a result.
//! - What is Linux's own stands in a module `linux`; `elsewhere`, beside it, has the same functions for macOS, and says what
//!   stands for what and what that costs. Nothing else asks which system this is.

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("orchestrate knows Linux and macOS only");

pub mod units;

pub mod clock;

pub mod outcome;

pub mod digest;

pub mod affinity;

pub mod processes;

pub mod interrupt;

pub mod places;

pub mod stats;

pub mod record;

pub mod event;

pub mod assets;

pub mod http;

pub mod matrix;

pub mod schema;

pub mod draft;

pub mod plan;

pub mod target;

pub mod generator;

pub mod usage;

pub mod host;

pub mod judge;

pub mod prepare;

pub mod revision;

pub mod lifecycle;

pub mod service;

pub mod trial;

pub mod conformance;

pub mod run;

pub mod compare;

pub mod history;

pub mod report;

pub mod error;

pub mod console;

pub mod cli;

pub mod commands;
