"""Training of a player by TRL, in the engine environment. `policies.training_job` starts it from the app's."""
