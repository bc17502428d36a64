using Microsoft.Extensions.Options;

namespace NativeThreading.Hosting;

/// <summary>Applies the rules of a type of options to the options of one name. Each failure names the full key.</summary>
internal sealed class SectionValidator<TOptions>(Registration registration, IValidateOptions<TOptions> rules, Func<TOptions, string> nameOf)
    : IValidateOptions<TOptions>
    where TOptions : class
{
    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, TOptions options)
    {
        if (name != registration.Name)
        {
            return ValidateOptionsResult.Skip;
        }

        List<string> failures = [.. (rules.Validate(name, options).Failures ?? []).Select(failure => $"{registration.Path}:{failure}")];
        string itsName = nameOf(options);
        if (itsName != registration.Name)
        {
            failures.Add($"{registration.Path}:Name: Name must be '{registration.Name}', the name of the registration, but was '{itsName}'.");
        }

        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}

/// <summary>Validates options by their own rules: their ranges, and how they depend on each other.</summary>
[OptionsValidator]
internal sealed partial class PoolOptionsRules : IValidateOptions<NativeThreadPoolOptions>;
