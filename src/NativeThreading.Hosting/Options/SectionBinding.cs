using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace NativeThreading.Hosting;

/// <summary>Binds options to their section, by generated code. A value that cannot be read is an error of these options.</summary>
internal static class SectionBinding
{
    /// <param name="configuration">Where the section is; <see langword="null"/> if there is no configuration.</param>
    /// <param name="registration">Whose section it is.</param>
    /// <param name="bind">Binds the section. Generated code replaces the call inside, so each type of options needs one of its own.</param>
    public static void Bind<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] TOptions>(
        IConfiguration? configuration, Registration registration, Action<IConfigurationSection> bind)
    {
        if (configuration?.GetSection(registration.Path) is not { } section)
        {
            return;
        }

        string[] errors = OptionKeys.Errors<TOptions>(section);
        if (errors.Length != 0)
        {
            throw new OptionsValidationException(registration.Name, typeof(TOptions), errors);
        }

        try
        {
            bind(section);
        }
        catch (InvalidOperationException exception)
        {
            throw new OptionsValidationException(registration.Name, typeof(TOptions), [$"{registration.Path}: {exception.Message}"]);
        }
    }

    /// <summary>A misspelt key would be a limit without effect. Unknown keys at the top level are rejected earlier, by <see
    /// cref="OptionKeys"/>.</summary>
    public static void RefuseUnknownKeys(BinderOptions options) => options.ErrorOnUnknownConfiguration = true;
}
